-- KEYS: pages, order, shards.  ARGV: the page, and the page as the owner of an n-gram, as bytes; what is known of it;
-- how many pages are kept; rows of all shards, and of one; bytes of a row; seconds to keep; the n-grams, 5 bytes each.
-- The last bit of an owner tells a listing.  The answer has 4 bytes for each n-gram: 3 if it was found, 1 if it is new,
-- 0 if it is not in the sample; and its owner.
local pages, order = KEYS[1], KEYS[2]
local page, owner, about = ARGV[1], ARGV[2], ARGV[3]
local most, rows, shard_rows = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local width, seconds, keys = tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9]
local byte, floor = string.byte, math.floor
local size = 1099511627776 / rows
if redis.call('HSET', pages, page, about) == 1 then
  redis.call('RPUSH', order, page)
  if redis.call('LLEN', order) > most then
    redis.call('HDEL', pages, redis.call('LPOP', order))
  end
end
local function number(text, i)
  local a, b, c, d, e = byte(text, i, i + 4)
  return (((a * 256 + b) * 256 + c) * 256 + d) * 256 + e
end
local answer, shards = {}, {}
for i = 1, #keys, 5 do
  local key = number(keys, i)
  local row = floor(key / size)
  local shard = KEYS[3 + floor(row / shard_rows)]
  local start = row % shard_rows * width
  if not shards[shard] then
    shards[shard] = true
    if redis.call('STRLEN', shard) == 0 then
      redis.call('SETRANGE', shard, math.min(rows, shard_rows) * width - 1, string.char(0))
    end
  end
  local places = redis.call('GETRANGE', shard, start, start + width - 1)
  local smallest, at, found = key, nil, nil
  for place = 1, width, 8 do
    local there = number(places, place)
    if there == key then
      found = string.char(3) .. string.sub(places, place + 5, place + 7)
      if page == owner and byte(places, place + 7) % 2 == 1 then
        redis.call('SETRANGE', shard, start + place + 4, owner)
      end
      break
    elseif there < smallest then
      smallest, at = there, place
    end
  end
  if not found and at then
    redis.call('SETRANGE', shard, start + at - 1, string.sub(keys, i, i + 4) .. owner)
  end
  answer[#answer + 1] = found or (at and '\1\0\0\0' or '\0\0\0\0')
end
for _, key in ipairs(KEYS) do
  redis.call('EXPIRE', key, seconds)
end
return table.concat(answer)
