# All games in lines. Wichita: always draws on, and lays the stacks that use
# the most cards. The others: the first of the legal actions.
require "json"

$stdout.sync = true # every line leaves at once

def choose(view, legal)
  return legal.first if view["kind"] != "draw" && view["kind"] != "lay"
  return { kind: "draw_on", more: true } if view["kind"] == "draw"

  legal.max_by { |action| action["stacks"].sum(&:size) }
end

puts JSON.generate({ type: "hello", name: "ruby", games: %w[serpent wichita pippip dominion], events: false, legal: true })
$stdin.each_line do |line|
  message = JSON.parse(line)
  next unless message["type"] == "question"

  action = choose(message["view"], message["legal"])
  puts JSON.generate({ table: message["table"], number: message["number"], action: action })
end
