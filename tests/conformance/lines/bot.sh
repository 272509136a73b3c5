#!/bin/sh
# The conformance bot in JSON lines: jq answers, and the shell takes its time where it is
# asked to. docs/protocol.md says how it answers.
echo '{"type": "hello", "name": "conformance", "games": ["serpent", "wichita", "pippip", "dominion"]}'

jq --null-input --unbuffered --compact-output --raw-output '
  def rank: .[:-1] | if . == "A" then 1 elif . == "J" then 11 elif . == "Q" then 12
    elif . == "K" then 13 else tonumber end;

  def dominion:
    .kind as $kind
    | if $kind == "resign" or ($kind == "reinforce" and .optional_army) then {kind: "pass"}
      elif $kind == "declare" then {$kind}
      elif $kind == "reinforce" or $kind == "remove" then {$kind, cell: .cells[0]}
      elif $kind == "conquer" then {$kind, count: .conquest.most}
      elif $kind == "attack" then .attacks[0]
      elif $kind == "advance" then .advances[0]
      else .deployments[0] end;

  def choose($even):
    .kind as $kind
    | if $kind == "give" or $kind == "reveal" then {$kind, cards: .playable[:3]}
      elif $kind == "lead" or $kind == "answer" then {$kind, card: .playable[0]}
      elif $kind == "draw" then {kind: "draw_on", more: $even}
      elif $kind == "lay" then
        (.dice | add) as $sum | {$kind, stacks: [.hand[] | select(rank == $sum) | [.]]}
      elif $kind == "call" then {$kind, suits: (if $even then .callable else [] end)}
      elif $kind == "play" then
        .playable[0] as $card
        | {$kind, card: $card, face_up: (.face_up[.seat] | index($card) != null)}
      else dominion end;

  def answer($kept):
    (.view.kind | . == "lead" or . == "answer") as $serpent
    | if $serpent and $kept.tiebreaks == 7 then {table, number, failed: "I was told to fail"}
      else {table, number, action: (.view | choose($kept.heard % 2 == 0))} end
    | if $serpent and $kept.tiebreaks == 9 then "slow \(tojson)" else "quick \(tojson)" end;

  foreach inputs as $line ({};
    ($line.table | tostring) as $table
    | if $line.type == "start" then
        .[$table] = {heard: ($line.told | length), tiebreaks: $line.options.max_tiebreaks}
      elif $line.type == "question" then .[$table].heard += ($line.events | length)
      else del(.[$table]) end;
    . as $tables
    | $line
    | select(.type == "question")
    | answer($tables[.table | tostring]))
' | while read -r pace line; do
  [ "$pace" = quick ] || sleep 0.05
  printf '%s\n' "$line"
done
