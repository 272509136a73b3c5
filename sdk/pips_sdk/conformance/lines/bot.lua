-- The conformance bot in JSON lines. docs/protocol.md says how it answers.
-- Lua has no JSON of its own: `read` is a reader of the compact lines that a bot is sent.
local ESCAPES = { n = "\n", t = "\t", r = "\r", b = "\b", f = "\f" }
local CONSTANTS = { ["true"] = true, ["false"] = false }
local read

local function read_text(line, at)
  local last = at + 1
  while line:sub(last, last) ~= '"' do
    last = last + (line:sub(last, last) == "\\" and 2 or 1)
  end
  return line:sub(at + 1, last - 1):gsub("\\(.)", ESCAPES), last + 1
end

local function read_list(line, at)
  local list = {}
  while line:sub(at, at) ~= "]" do
    local item
    item, at = read(line, at + 1)
    if item == nil and line:sub(at, at) == "]" then return list, at + 1 end
    list[#list + 1] = item
  end
  return list, at + 1
end

local function read_object(line, at)
  local object, key = {}, nil
  while line:sub(at, at) ~= "}" do
    if line:sub(at + 1, at + 1) == "}" then return object, at + 2 end
    key, at = read_text(line, at + 1)
    object[key], at = read(line, at + 1)
  end
  return object, at + 1
end

-- The value at that place, and the place behind it. null is nil, so lists leave it out.
function read(line, at)
  local first = line:sub(at, at)
  if first == '"' then return read_text(line, at) end
  if first == "[" then return read_list(line, at) end
  if first == "{" then return read_object(line, at) end
  local word = line:match("^[%w%.%-%+]*", at)
  local value = CONSTANTS[word]
  if value == nil then value = tonumber(word) end
  return value, at + #word
end

local RANKS = { A = 1, J = 11, Q = 12, K = 13 }
local function rank(card)
  local letter = card:sub(1, -2)
  return RANKS[letter] or tonumber(letter)
end

local function quoted(words)
  return #words == 0 and "" or '"' .. table.concat(words, '","') .. '"'
end

local function dominion(view)
  local kind = view.kind
  if kind == "resign" or kind == "reinforce" and view.optional_army then return '{"kind":"pass"}' end
  if kind == "declare" then return '{"kind":"declare"}' end
  if kind == "reinforce" or kind == "remove" then return ('{"kind":"%s","cell":%d}'):format(kind, view.cells[1]) end
  if kind == "conquer" then return ('{"kind":"conquer","count":%d}'):format(view.conquest.most) end
  if kind == "attack" then
    local attack = view.attacks[1]
    return ('{"kind":"attack","source":%d,"target":%d}'):format(attack.source, attack.target)
  end
  if kind == "advance" then
    local move = view.advances[1]
    return ('{"kind":"advance","source":%d,"target":%d,"count":%d}'):format(move.source, move.target, move.count)
  end
  local deploy = view.deployments[1]
  return ('{"kind":"deploy","cell":%d,"count":%d}'):format(deploy.cell, deploy.count)
end

local function choose(kept, view)
  local kind, even, playable = view.kind, kept.heard % 2 == 0, view.playable
  if kind == "give" or kind == "reveal" then
    return ('{"kind":"%s","cards":[%s]}'):format(kind, quoted({ table.unpack(playable, 1, 3) }))
  elseif kind == "lead" or kind == "answer" then
    if kept.options.max_tiebreaks == 7 then error("I was told to fail", 0) end
    if kept.options.max_tiebreaks == 9 then os.execute("sleep 0.05") end
    return ('{"kind":"%s","card":"%s"}'):format(kind, playable[1])
  elseif kind == "draw" then
    return ('{"kind":"draw_on","more":%s}'):format(even)
  elseif kind == "lay" then
    local stacks = {}
    for _, card in ipairs(view.hand) do
      if rank(card) == view.dice[1] + view.dice[2] then stacks[#stacks + 1] = ('["%s"]'):format(card) end
    end
    return ('{"kind":"lay","stacks":[%s]}'):format(table.concat(stacks, ","))
  elseif kind == "call" then
    return ('{"kind":"call","suits":[%s]}'):format(quoted(even and view.callable or {}))
  elseif kind == "play" then
    local up = false
    for _, card in ipairs(view.face_up[view.seat + 1]) do up = up or card == playable[1] end
    return ('{"kind":"play","card":"%s","face_up":%s}'):format(playable[1], up)
  end
  return dominion(view)
end

io.stdout:setvbuf("line") -- every line leaves at once
print('{"type":"hello","name":"conformance","games":["serpent","wichita","pippip","dominion"]}')
local tables = {}
for line in io.lines() do
  local message = read(line, 1)
  local key = message.table
  if message.type == "start" then
    tables[key] = { options = message.options, heard = #message.told }
  elseif message.type == "finish" then
    tables[key] = nil
  else
    tables[key].heard = tables[key].heard + #message.events
    local fine, said = pcall(choose, tables[key], message.view)
    said = fine and '"action":' .. said or ('"failed":"%s"'):format(said)
    print(('{"table":%d,"number":%d,%s}'):format(key, message.number, said))
  end
end
