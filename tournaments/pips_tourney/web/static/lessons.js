// Analyses of matches: where a bot loses, and its luck in this night.
import { costWords, h, onRequest, percent, quiet, signed, signedPercent, table } from "./dom.js";
import { botLink } from "./ratings.js";
import { about } from "./state.js";

const matchLink = (id, words) => h("a", { href: `#/match/${id}` }, words || id.slice(0, 8));

// A section with a button that requests its contents, unless they have arrived.
const section = (address, title, button, inside) =>
  about.mode === "report" ? null : h("section.lesson", h("h2", title), onRequest(address, button, inside));

const LUCK_NOTE =
  "What the deals, the cards drawn and the dice gave, in points of its matches, by the value function of the game. " +
  "“Usual” is a common size: about one bot in three has more, by luck alone. The ratings leave luck out.";
const uncommitted = (all) =>
  all.uncommitted.map((game) =>
    h("p.note", `The night did not name the value function of ${game} beforehand: its luck proves nothing.`),
  );

const luckColumns = (first) => [
  first,
  { name: "Luck", value: (row) => row.points, as: (points) => signed(points, 1), kind: "number" },
  { name: "Usual", value: (row) => row.usual, cell: (row) => `± ${row.usual.toFixed(1)}`, kind: "number" },
  { name: "Matches", value: (row) => row.matches, kind: "number" },
  { name: "Luckiest", cell: (row) => matchLink(row.luckiest), kind: "text" },
  { name: "Unluckiest", cell: (row) => matchLink(row.unluckiest), kind: "text" },
];
const botColumn = { name: "Bot", value: (row) => row.bot, cell: (row) => botLink(row.bot), head: true };
const contestColumn = { name: "Contest", value: (row) => row.contest, head: true };

// The luck of some bots, computed for all bots at once.
const luck = (id, name, first, rowsOf) =>
  section("api/luck", "Luck", "What was luck?", (all) => {
    const rows = rowsOf(all.contests);
    return rows && rows.length
      ? [table(`luck-${id}`, `Luck: ${name}`, luckColumns(first), rows), quiet(LUCK_NOTE), uncommitted(all)]
      : quiet("None of its deals has been played in every seating yet.");
  });

// Beside the standings of one contest: the luck of all its bots.
export const luckOfContest = (one) =>
  one.game && luck(one.label, one.label, botColumn, (contests) => contests[one.label]);

// On a bot's page: its luck in every contest.
export const luckOfBot = (bot) =>
  luck(`of-${bot}`, bot, contestColumn, (contests) =>
    Object.entries(contests).flatMap(([contest, bots]) =>
      bots.filter((row) => row.bot === bot).map((row) => ({ ...row, contest })),
    ),
  );

const questionLink = (match, frame, words) => h("a", { href: `#/match/${match}/${frame}` }, words);
const costly = (mistake) =>
  h(
    "li",
    questionLink(mistake.match, mistake.frame, `Match ${mistake.match.slice(0, 8)}, question ${mistake.question}`),
    `, ${mistake.situation}: ${costWords(mistake)}`,
  );

function lossTable(bot, one, number) {
  const columns = [
    { name: "Situation", value: (row) => row.situation, head: true },
    { name: "Lost a match", value: (row) => row.cost_a_match, as: signedPercent, kind: "number" },
    {
      name: "95 %",
      cell: (row) =>
        row.interval ? `${signedPercent(row.interval[0])} to ${signedPercent(row.interval[1])}` : "one match only",
      kind: "middle",
    },
    { name: "Of all", value: (row) => row.share, cell: (row) => (row.share ? percent(row.share) : ""), kind: "number" },
    { name: "Decisions", value: (row) => row.decisions, kind: "number spare" },
    {
      name: "Example",
      cell: (row) => row.examples.map((each) => questionLink(each.match, each.frame, each.match.slice(0, 8))),
      kind: "text",
    },
  ];
  return table(`loses-${bot}-${number}`, `Where ${bot} loses, ${one.game}`, columns, one.situations);
}

const LOSS_NOTE =
  "Percent of a win that its answers gave away in a match, compared with the sample bot greedy; a negative figure means that it decides better. " +
  "Judged from what the seat could know. A decision is listed where a second policy agrees, with an interval of 95 % for all listed together.";

// On a bot's page: the situations in which it loses, and its costliest decisions.
export const lossesOf = (bot) =>
  section(`api/bot/${encodeURIComponent(bot)}/losses`, "Where it loses", "Where does it lose?", (tables) => [
    tables.map((one, number) => [
      h("h3", `${one.game}, ${one.seats} seats`),
      lossTable(bot, one, number),
      one.mistakes.length
        ? h("ol.moments", one.mistakes.map(costly))
        : quiet("No single answer is a mistake beyond doubt."),
    ]),
    quiet(LOSS_NOTE),
  ]);
