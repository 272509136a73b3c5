// Serpent in lines, without the SDK: the lowest cards first.
import { createInterface } from "node:readline";

const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

function choose(view) {
  const cards = [...view.playable].sort(byRank);
  const one = view.kind === "lead" || view.kind === "answer";
  return one ? { kind: view.kind, card: cards[0] } : { kind: view.kind, cards: cards.slice(0, 3) };
}

function byRank(one, other) {
  return RANKS.indexOf(one.slice(0, -1)) - RANKS.indexOf(other.slice(0, -1));
}

const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");
say({ type: "hello", name: "js", games: ["serpent"], events: false });
for await (const line of createInterface({ input: process.stdin })) {
  const { type, table, number, view } = JSON.parse(line);
  if (type === "question") say({ table, number, action: choose(view) });
}
