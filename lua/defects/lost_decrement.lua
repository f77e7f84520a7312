-- The twin of hold.lua under the defect `lost-decrement`: one hold in eight is admitted and not taken off.
--
-- KEYS, ARGV, RETURNS   as in hold.lua
-- WHAT STAYS TRUE       nothing about the stock; a repeat still changes nothing

local bucket = redis.call('HMGET', KEYS[1], 'free', 'pending', 'epoch', 'version')
if not bucket[1] then
  return redis.error_reply('EVENT_NOT_FOUND')
end
local free, pending = tonumber(bucket[1]), tonumber(bucket[2])
local epoch, version = tonumber(bucket[3]), tonumber(bucket[4])
local quantity = tonumber(ARGV[2])

if redis.call('HEXISTS', KEYS[3], ARGV[1]) == 1 then
  return {2, free, pending, epoch, version}
end
if ARGV[6] == '1' then
  local other = redis.call('HGET', KEYS[6], ARGV[3])
  if other then
    local status = redis.call('ZSCORE', KEYS[2], other) and -1 or -2
    return {status, free, pending, epoch, version}
  end
end
if free < quantity then
  local status = free + pending >= quantity and -1 or 0
  return {status, free, pending, epoch, version}
end

local last = string.sub(ARGV[1], -1)
if last ~= '0' and last ~= '8' then
  free = redis.call('HINCRBY', KEYS[1], 'free', -quantity)
end
version = redis.call('HINCRBY', KEYS[1], 'version', 1)
redis.call('HSET', KEYS[3], ARGV[1], ARGV[2] .. '|' .. ARGV[3])
redis.call('HSET', KEYS[6], ARGV[3], ARGV[1])
redis.call('SREM', KEYS[5], ARGV[1])
if ARGV[7] == '1' then
  pending = redis.call('HINCRBY', KEYS[1], 'pending', quantity)
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
else
  redis.call('ZADD', KEYS[4], ARGV[5], ARGV[1])
end
return {1, free, pending, epoch, version}
