// The conformance bot in JSON lines, without the SDK. docs/protocol.md says how it answers.
import { createInterface } from "node:readline";

const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const tables = new Map();

const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");
const rank = (card) => RANKS.indexOf(card.slice(0, -1)) + 1;
const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

function choose(table, view) {
  const kind = view.kind;
  const even = table.heard % 2 === 0;
  const first = view.playable?.[0];
  switch (kind) {
    case "give":
    case "reveal":
      return { kind, cards: view.playable.slice(0, 3) };
    case "lead":
    case "answer":
      if (table.options.max_tiebreaks === 7) throw new Error("I was told to fail");
      if (table.options.max_tiebreaks === 9) wait(50);
      return { kind, card: first };
    case "draw":
      return { kind: "draw_on", more: even };
    case "lay": {
      const sum = view.dice[0] + view.dice[1];
      return { kind, stacks: view.hand.filter((card) => rank(card) === sum).map((card) => [card]) };
    }
    case "call":
      return { kind, suits: even ? view.callable : [] };
    case "play":
      return { kind, card: first, face_up: view.face_up[view.seat].includes(first) };
    default:
      return dominion(view);
  }
}

function dominion(view) {
  const kind = view.kind;
  switch (kind) {
    case "resign":
      return { kind: "pass" };
    case "declare":
      return { kind };
    case "reinforce":
      return view.optional_army ? { kind: "pass" } : { kind, cell: view.cells[0] };
    case "remove":
      return { kind, cell: view.cells[0] };
    case "conquer":
      return { kind, count: view.conquest.most };
    case "attack":
      return view.attacks[0];
    case "advance":
      return view.advances[0];
    default:
      return view.deployments[0];
  }
}

say({ type: "hello", name: "conformance", games: ["serpent", "wichita", "pippip", "dominion"] });
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  const { table, number } = message;
  if (message.type === "start") tables.set(table, { options: message.options, heard: message.told.length });
  if (message.type === "finish") tables.delete(table);
  if (message.type !== "question") continue;
  const kept = tables.get(table);
  kept.heard += message.events.length;
  const isLate = kept.options.max_tiebreaks === 8 && ["lead", "answer"].includes(message.view.kind);
  try {
    const action = choose(kept, message.view);
    if (isLate) setTimeout(say, 50, { table, number, action });
    else say({ table, number, action });
  } catch (error) {
    say({ table, number, failed: error.message });
  }
}
