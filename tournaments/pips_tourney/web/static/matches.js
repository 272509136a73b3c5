// The list of matches.
import { count, h, labelled, quiet, select, table } from "./dom.js";
import { botLink } from "./ratings.js";
import { about, get, go, redraw, views } from "./state.js";

export const PAGE = 50;
let all = null,
  asked = false,
  failed = "";

const FIELDS = "number id contest bots places scores faults questions counts deal".split(" ");
const read = (row) => Object.fromEntries(FIELDS.map((name, place) => [name, row[place]]));
export const addMatches = (rows) => {
  if (all === null) return;
  const known = all.length ? all[0].number : 0;
  all = [
    ...rows
      .map(read)
      .filter((row) => row.number > known)
      .reverse(),
    ...all,
  ];
};

// All matches so far. They are fetched when first needed, and again after lost events.
// `anew`: drop the known matches, because a decision changed which ones count.
export const loadMatches = async (anew = false) => {
  if (about.matches) {
    all = about.matches.map(read).reverse();
    return;
  }
  if (anew && all === null) return;
  asked = true;
  failed = "";
  try {
    const rows = await get(`api/matches?after=${!anew && all && all.length ? all[0].number : 0}`);
    all = [...rows.map(read).reverse(), ...((!anew && all) || [])];
  } catch (error) {
    failed = error.message;
  }
  redraw();
};
// All matches, the newest first. Null until they are read.
export const hasMatches = () => all;

// The notice on a page that needs the matches until they are read. Null afterwards.
export const unreadNotice = (title, heading = "h1") => {
  if (all === null && (about.matches || !asked)) loadMatches();
  if (all !== null) return null;
  if (!failed) return [h(heading, title), quiet("The matches are being read …")];
  return [
    h(heading, title),
    h("p.note", `The matches cannot be read: ${failed}.`),
    h("p", h("button", { onclick: () => loadMatches() }, "Try again")),
  ];
};

const ranked = (row) =>
  row.bots
    .map((bot, seat) => ({ bot, place: row.places[seat], score: row.scores[seat] }))
    .sort((a, b) => a.place - b.place);
const result = (row) => [
  ranked(row).map(({ bot, score }, at) => [
    h("span.placed", at > 0 && "– ", botLink(bot), " (", h("b", score), ")"),
    " ",
  ]),
  !row.counts && h("span.quiet", " (does not count)"),
];

// Two buttons for the rows before and after, and the position of the current ones.
export const pager = (first, all, words, turn) => {
  const last = Math.min(all, first + PAGE);
  const button = (text, to, stop) => h("button", { disabled: stop, onclick: () => turn(to) }, text);
  return h(
    "p.pages",
    button("Before", Math.max(0, first - PAGE), first === 0),
    h("span", all ? `${first + 1} to ${last} of ${count(all, ...words)}` : `no ${words[1]}`),
    button("Next", first + PAGE, last >= all),
  );
};

views.matches = (_, query, heading = "h1") => {
  const unread = unreadNotice("Matches", heading);
  if (unread) return unread;
  const names = ["contest", "bot", "against", "faults", "id"];
  const wanted = Object.fromEntries(names.map((name) => [name, query.get(name) || ""])),
    first = Number(query.get("first") || 0);
  const rows = all.filter(
    (row) =>
      (!wanted.contest || row.contest === wanted.contest) &&
      (!wanted.bot || row.bots.includes(wanted.bot)) &&
      (!wanted.against || row.bots.includes(wanted.against)) &&
      (!wanted.faults || row.faults.length > 0) &&
      (!wanted.id || row.id.startsWith(wanted.id.toLowerCase())),
  );
  const ask = (change) => go("matches", { ...wanted, ...change });
  const choose = (label, name, options) =>
    select(label, [["", "any"], ...options], wanted[name], (value) => ask({ [name]: value }));
  const { bots, games } = about.night;
  return [
    h(heading, "Matches"),
    h(
      "form.filter",
      { onsubmit: (event) => event.preventDefault() },
      choose("Game", "contest", Object.keys(games)),
      choose("Bot", "bot", bots),
      choose("Against", "against", bots),
      choose("Faults", "faults", [["1", "with a fault"]]),
      labelled(
        "Id begins",
        h("input", {
          value: wanted.id,
          size: 10,
          spellcheck: "false",
          oninput: (event) => ask({ id: event.target.value.trim() }),
        }),
      ),
    ),
    table(
      "matches",
      "Matches",
      [
        { name: "No", value: (row) => row.number, kind: "number" },
        { name: "Result", value: (row) => ranked(row)[0].bot, cell: result, kind: "result" },
        {
          name: "Replay",
          value: (row) => row.id,
          cell: (row) =>
            about.mode === "report" && !about.replays[row.id]
              ? h("code", row.id.slice(0, 8))
              : h("a", { href: `#/match/${row.id}`, "aria-label": `Watch match ${row.id.slice(0, 8)}` }, "watch"),
        },
        { name: "Game", value: (row) => row.contest },
        { name: "Answers", value: (row) => row.questions, kind: "number spare" },
        {
          name: "Faults",
          value: (row) => row.faults.length,
          cell: (row) =>
            row.faults.map(([seat, kind, sentence]) =>
              h("a", { href: `#/match/${row.id}/fault`, title: sentence }, `${row.bots[seat]}: ${kind}`),
            ),
        },
      ],
      rows,
      { first, most: PAGE, className: "matches" },
    ),
    pager(first, rows.length, ["match", "matches"], (to) => ask({ first: to })),
  ];
};
