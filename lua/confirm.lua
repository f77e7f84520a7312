-- The ledger has decided in favour of a hold: it is no longer pending; a sold one is never reaped.
--
-- KEYS    as in hold.lua
-- ARGV    1 hold   2 "held" or "sold"   3 ends, ms
-- RETURNS {status, free, pending, epoch, version}: 1 done, 0 this hold is not here
--         error EVENT_NOT_FOUND: this bucket was never built
-- WHAT STAYS TRUE
--   free does not change; a hold is in `pending` or in `expiry`, or sold and in neither. A repeat changes nothing.

local bucket = redis.call('HMGET', KEYS[1], 'free', 'pending', 'epoch', 'version')
if not bucket[1] then
  return redis.error_reply('EVENT_NOT_FOUND')
end
local free, pending = tonumber(bucket[1]), tonumber(bucket[2])
local epoch, version = tonumber(bucket[3]), tonumber(bucket[4])

local record = redis.call('HGET', KEYS[3], ARGV[1])
if not record then
  return {0, free, pending, epoch, version}
end
local quantity, account = string.match(record, '^(-?%d+)|(.*)$')
if redis.call('ZREM', KEYS[2], ARGV[1]) == 1 then
  pending = redis.call('HINCRBY', KEYS[1], 'pending', -tonumber(quantity))
  version = redis.call('HINCRBY', KEYS[1], 'version', 1)
end
if ARGV[2] == 'held' then
  redis.call('ZADD', KEYS[4], ARGV[3], ARGV[1])
else
  redis.call('ZREM', KEYS[4], ARGV[1])
  if redis.call('HGET', KEYS[6], account) == ARGV[1] then
    redis.call('HDEL', KEYS[6], account)
  end
end
return {1, free, pending, epoch, version}
