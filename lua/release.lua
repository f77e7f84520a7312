-- Gives the units of a hold back, once an epoch.
--
-- KEYS    as in hold.lua
-- ARGV    1 hold   2 quantity   3 the bucket's epoch when the ledger let the hold go
-- RETURNS {status, free, pending, epoch, version}
--   1 given back   0 nothing to do: done before, or a rebuild has counted it   -1 this bucket is behind: ask again
--   error EVENT_NOT_FOUND: this bucket was never built
-- WHAT STAYS TRUE
--   The units of a hold come back at most once in an epoch, however often and in whatever order this is called.

local bucket = redis.call('HMGET', KEYS[1], 'free', 'pending', 'epoch', 'version')
if not bucket[1] then
  return redis.error_reply('EVENT_NOT_FOUND')
end
local free, pending = tonumber(bucket[1]), tonumber(bucket[2])
local epoch, version = tonumber(bucket[3]), tonumber(bucket[4])
local asked = tonumber(ARGV[3])

if asked < epoch then
  return {0, free, pending, epoch, version}
end
if asked > epoch then
  return {-1, free, pending, epoch, version}
end
if redis.call('SADD', KEYS[5], ARGV[1]) == 0 then
  return {0, free, pending, epoch, version}
end

local record = redis.call('HGET', KEYS[3], ARGV[1])
if record then
  local account = string.match(record, '^-?%d+|(.*)$')
  if redis.call('HGET', KEYS[6], account) == ARGV[1] then
    redis.call('HDEL', KEYS[6], account)
  end
  redis.call('HDEL', KEYS[3], ARGV[1])
end
if redis.call('ZREM', KEYS[2], ARGV[1]) == 1 then
  pending = redis.call('HINCRBY', KEYS[1], 'pending', -tonumber(ARGV[2]))
end
redis.call('ZREM', KEYS[4], ARGV[1])
free = redis.call('HINCRBY', KEYS[1], 'free', ARGV[2])
version = redis.call('HINCRBY', KEYS[1], 'version', 1)
return {1, free, pending, epoch, version}
