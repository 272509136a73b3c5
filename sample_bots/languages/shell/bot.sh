#!/bin/sh
# Any game in lines: the last of the legal actions. jq reads the lines and writes them.
echo '{"type": "hello", "name": "shell", "events": false, "legal": true,
  "games": ["serpent", "wichita", "pippip", "dominion"]}' | tr -d '\n'
echo
exec jq --unbuffered --compact-output '
  select(.type == "question")
  | {table, number, action: (.legal | last)}
'
