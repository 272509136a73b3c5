// What looks like a mistake in a bot's class, though it breaks no rule.
import { Bot } from "./bot.js";

const HOOKS = ["onStart", "onEvent", "onFinish", "choose"];
const MOST_EDITS = 2; // names that differ by more are not taken for each other

/** A sentence for each method that looks misspelt, and for each odd habit. */
export function hints(bot) {
  return [
    ...misspelt(bot),
    ...HABITS.filter(([code]) => code.test(String(bot))).map(([, told]) => `${bot.name} ${told}`),
  ];
}

const HABITS = [
  [
    /\bMath\.random\(/,
    "uses Math.random(), so no match can be played again as it was: take this.random() or this.pick(list).",
  ],
  [/\bconsole\.log\(/, "prints. In a league nobody reads that. `pips-bot play --logs FOLDER` keeps it for you."],
];

/**
 * Methods of a name that is close to one that the SDK calls, which no code of the class
 * uses, and which the SDK does not call.
 */
function misspelt(bot) {
  const own = [];
  let base = bot;
  while (base.prototype instanceof Bot && Object.hasOwn(base, "game") === false) {
    own.push(...Object.getOwnPropertyNames(base.prototype));
    base = Object.getPrototypeOf(base);
  }
  const source = String(bot);
  const known = [...methods(base), ...methods(Bot)];
  const missing = [...methods(base), ...HOOKS].filter((name) => !own.includes(name));
  return own
    .filter((name) => !known.includes(name) && !new RegExp(`\\.${escaped(name)}\\b`).test(source))
    .map((name) => [name, missing.find((other) => begins(name, other) || edits(name, other) <= allowed(other))])
    .filter(([, meant]) => meant !== undefined)
    .map(([name, meant]) => `${bot.name} has \`${name}\`, which no question calls. Did you mean \`${meant}\`?`);
}

const methods = (base) => Object.getOwnPropertyNames(base.prototype).filter((name) => name !== "constructor");
/** Whether the other is its first word, as in `drawOn`. */
const begins = (name, other) => new RegExp(`^${other}(_|[A-Z])`).test(name);
const escaped = (name) => name.replace(/[$]/g, "\\$&");
const allowed = (name) => (name.length < 5 ? 1 : MOST_EDITS);

/** How many letters have to be put in, left out or changed; a change of case is none. */
function edits(one, other) {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let at = 1; at <= a.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= b.length; to += 1) {
      next.push(Math.min(row[to] + 1, next[to - 1] + 1, row[to - 1] + (a[at - 1] === b[to - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length];
}
