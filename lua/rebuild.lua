-- Writes a bucket anew from what the ledger knows.
--
-- KEYS    as in hold.lua
-- ARGV    1 epoch   2 free   then for each live hold: hold, quantity, account, ends in ms, "held" or "sold"
-- RETURNS {status, free, pending, epoch, version}: 1 rebuilt, 0 this bucket has that epoch or a later one
-- WHAT STAYS TRUE
--   Epochs only grow, so of two rebuilds the later one wins in whatever order they arrive.

local bucket = redis.call('HMGET', KEYS[1], 'free', 'pending', 'epoch', 'version')
local version = tonumber(bucket[4] or '0')
local asked = tonumber(ARGV[1])
if bucket[3] and tonumber(bucket[3]) >= asked then
  return {0, tonumber(bucket[1]), tonumber(bucket[2]), tonumber(bucket[3]), version}
end

redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6])
redis.call('HSET', KEYS[1], 'free', ARGV[2], 'pending', 0, 'epoch', ARGV[1], 'version', version + 1)
for at = 3, #ARGV, 5 do
  redis.call('HSET', KEYS[3], ARGV[at], ARGV[at + 1] .. '|' .. ARGV[at + 2])
  if ARGV[at + 4] == 'held' then
    redis.call('ZADD', KEYS[4], ARGV[at + 3], ARGV[at])
    redis.call('HSET', KEYS[6], ARGV[at + 2], ARGV[at])
  end
end
return {1, tonumber(ARGV[2]), 0, asked, version + 1}
