-- KEYS: pages, visits, counts, seen.  ARGV: "1" to add the page, entries at the most, seconds to keep, the two
-- fingerprints of the page, then those of its blocks, which may repeat.
local pages, visits, counts, seen = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local is_counted, most, seconds = ARGV[1] == '1', tonumber(ARGV[2]), tonumber(ARGV[3])
if is_counted then
  local visit = redis.call('INCR', visits)
  local is_new = redis.call('HEXISTS', counts, ARGV[4]) == 0 and redis.call('HEXISTS', counts, ARGV[5]) == 0
  local done = {}
  for i = 4, is_new and #ARGV or 5 do
    local entry = ARGV[i]
    if not done[entry] then
      done[entry] = true
      if is_new or redis.call('HEXISTS', counts, entry) == 0 then
        redis.call('HINCRBY', counts, entry, 1)
      end
      redis.call('ZADD', seen, visit, entry)
    end
  end
  if is_new then
    redis.call('INCR', pages)
  end
end
local answer = {tonumber(redis.call('GET', pages) or 0)}
for i = 6, #ARGV do
  answer[#answer + 1] = tonumber(redis.call('HGET', counts, ARGV[i]) or 0)
end
if is_counted then
  local surplus = redis.call('ZCARD', seen) - most
  if surplus > 0 then
    local oldest = redis.call('ZPOPMIN', seen, surplus)
    for i = 1, #oldest, 2 do
      redis.call('HDEL', counts, oldest[i])
    end
  end
  for _, key in ipairs(KEYS) do
    redis.call('EXPIRE', key, seconds)
  end
end
return answer
