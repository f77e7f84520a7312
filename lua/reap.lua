-- Gives back what nobody will answer for any more: admissions the ledger never heard of, or holds past their end.
--
-- KEYS    as in hold.lua
-- ARGV    1 "pending" or "expired"   2 everything up to this instant, ms   3 at most so many
-- RETURNS {count, free, pending, epoch, version, hold...}
--         error EVENT_NOT_FOUND: this bucket was never built
-- WHAT STAYS TRUE
--   As in release.lua, through the same `released` set: a unit that was released is not reaped, and the reverse. If the
--   ledger knew a reaped admission after all, this bucket admits too many; the ledger refuses them and it is rebuilt.

local bucket = redis.call('HMGET', KEYS[1], 'free', 'pending', 'epoch', 'version')
if not bucket[1] then
  return redis.error_reply('EVENT_NOT_FOUND')
end
local free, pending = tonumber(bucket[1]), tonumber(bucket[2])
local epoch, version = tonumber(bucket[3]), tonumber(bucket[4])

local index = ARGV[1] == 'pending' and KEYS[2] or KEYS[4]
local due = redis.call('ZRANGEBYSCORE', index, '-inf', ARGV[2], 'LIMIT', 0, ARGV[3])
local reaped = {}
for _, hold in ipairs(due) do
  redis.call('ZREM', index, hold)
  local record = redis.call('HGET', KEYS[3], hold)
  if record and redis.call('SADD', KEYS[5], hold) == 1 then
    local quantity, account = string.match(record, '^(-?%d+)|(.*)$')
    redis.call('HDEL', KEYS[3], hold)
    if redis.call('HGET', KEYS[6], account) == hold then
      redis.call('HDEL', KEYS[6], account)
    end
    if index == KEYS[2] then
      pending = redis.call('HINCRBY', KEYS[1], 'pending', -tonumber(quantity))
    end
    free = redis.call('HINCRBY', KEYS[1], 'free', quantity)
    version = redis.call('HINCRBY', KEYS[1], 'version', 1)
    reaped[#reaped + 1] = hold
  end
end

local answer = {#reaped, free, pending, epoch, version}
for _, hold in ipairs(reaped) do
  answer[#answer + 1] = hold
end
return answer
