# The conformance bot in JSON lines. docs/protocol.md says how it answers.
require "json"

RANKS = %w[A 2 3 4 5 6 7 8 9 10 J Q K].freeze

def choose(table, view)
  kind = view["kind"]
  even = table[:heard].even?
  case kind
  when "give", "reveal" then { kind:, cards: view["playable"].first(3) }
  when "lead", "answer"
    raise "I was told to fail" if table[:options]["max_tiebreaks"] == 7

    sleep 0.05 if table[:options]["max_tiebreaks"] == 9
    { kind:, card: view["playable"][0] }
  when "draw" then { kind: "draw_on", more: even }
  when "lay"
    sum = view["dice"].sum
    { kind:, stacks: view["hand"].select { |card| RANKS.index(card[0..-2]) + 1 == sum }.map { |card| [card] } }
  when "call" then { kind:, suits: even ? view["callable"] : [] }
  when "play"
    card = view["playable"][0]
    { kind:, card:, face_up: view["face_up"][view["seat"]].include?(card) }
  else dominion(view)
  end
end

def dominion(view)
  kind = view["kind"]
  case kind
  when "resign" then { kind: "pass" }
  when "declare" then { kind: }
  when "reinforce" then view["optional_army"] ? { kind: "pass" } : { kind:, cell: view["cells"][0] }
  when "remove" then { kind:, cell: view["cells"][0] }
  when "conquer" then { kind:, count: view["conquest"]["most"] }
  when "attack" then view["attacks"][0]
  when "advance" then view["advances"][0]
  else view["deployments"][0]
  end
end

$stdout.sync = true # every line leaves at once
tables = {}
puts JSON.generate({ type: "hello", name: "conformance", games: %w[serpent wichita pippip dominion] })
$stdin.each_line do |line|
  message = JSON.parse(line)
  table, number = message.values_at("table", "number")
  case message["type"]
  when "start" then tables[table] = { options: message["options"], heard: message["told"].size }
  when "finish" then tables.delete(table)
  else
    tables[table][:heard] += message["events"].size
    begin
      puts JSON.generate({ table:, number:, action: choose(tables[table], message["view"]) })
    rescue RuntimeError => e
      puts JSON.generate({ table:, number:, failed: e.message })
    end
  end
end
