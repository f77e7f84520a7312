-- Admits a hold to one bucket: sets units aside until the ledger has decided.
--
-- KEYS (one slot; the same six for every script)
--   1 bucket    hash   free, pending, epoch, version
--   2 pending   zset   hold -> when it was admitted: the ledger has not answered yet
--   3 holds     hash   hold -> quantity|account
--   4 expiry    zset   hold -> when it ends
--   5 released  set    holds whose units came back in this epoch
--   6 buyers    hash   account -> hold
-- ARGV
--   1 hold   2 quantity   3 account   4 now, ms   5 ends, ms   6 "1": one hold an account
--   7 "1": wait for the ledger (pending); "0": this is the decision
-- RETURNS {status, free, pending, epoch, version}
--   1 admitted   2 admitted before (a repeat changes nothing)   0 SOLD_OUT
--   -1 undecided: units are pending, ask again soon   -2 ALREADY_RESERVED
--   error EVENT_NOT_FOUND: this bucket was never built
-- WHAT STAYS TRUE
--   free + units of `holds` is constant within an epoch; a hold is in `holds` at most once; SOLD_OUT is told only
--   when units that the ledger may still refuse would not be enough either.

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

free = redis.call('HINCRBY', KEYS[1], 'free', -quantity)
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
