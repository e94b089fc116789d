/** Pieces of Lua that several scripts share. The first argument of every script is the offset of the clock. */

/** `now` by the clock of Redis, which all nodes share. */
export const NOW = `
local time = redis.call('TIME')
local offset = tonumber(ARGV[1])
local now = time[1] * 1000 + math.floor(time[2] / 1000) + offset
`;

/** Whether one stream id comes after another. */
export const IS_AFTER = `
local function isAfter(a, b)
  local am, as = string.match(a, '^(%d+)-(%d+)$')
  local bm, bs = string.match(b, '^(%d+)-(%d+)$')
  if tonumber(am) ~= tonumber(bm) then return tonumber(am) > tonumber(bm) end
  return tonumber(as) > tonumber(bs)
end
`;

/**
 * `append(stream, data or false for the end, token)`: the id of the new entry. KEYS: the session, its events.
 * The oldest entries make room; the newest stays however large it is, because a client waits for it.
 */
export const APPEND = `
local function append(stream, data, token, channel, maxEvents, maxBytes, age, change)
  local size = 0
  if redis.call('EXISTS', KEYS[2]) == 1 then size = tonumber(redis.call('HGET', KEYS[1], 'bytes') or 0) end
  local at = '*'
  if offset ~= 0 then at = string.format('%.0f-*', now) end
  local id
  if data and change and change ~= '' then
    id = redis.call('XADD', KEYS[2], at, 's', stream, 't', token, 'd', data, 'c', change)
    size = size + #data
  elseif data then
    id = redis.call('XADD', KEYS[2], at, 's', stream, 't', token, 'd', data)
    size = size + #data
  else
    id = redis.call('XADD', KEYS[2], at, 's', stream, 't', token)
    redis.call('HDEL', KEYS[1], 'n:' .. stream)
  end
  local length = redis.call('XLEN', KEYS[2])
  while length > 1 do
    local oldest = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
    local expired = tonumber(string.match(oldest[1], '^%d+')) < now - age
    if length <= maxEvents and size <= maxBytes and not expired then break end
    redis.call('XDEL', KEYS[2], oldest[1])
    size = size - #(oldest[2][6] or '')
    length = length - 1
  end
  redis.call('HSET', KEYS[1], 'bytes', size)
  redis.call('PEXPIRE', KEYS[2], age)
  redis.call('SPUBLISH', channel, id)
  return id
end
`;
