// The big screen for a classroom: readable from ten metres, no input.
import { draw } from "./boards.js";
import { ratingBars } from "./charts.js";
import { h, quiet, timeLeft } from "./dom.js";
import { eloText } from "./ratings.js";
import { replayOf } from "./replay.js";
import { isBracket, podium, rounds, winner } from "./rounds.js";
import { about, get, go, hooks, redraw, views } from "./state.js";
import { followTables, tablesTold } from "./tables.js";

const TOP = 10,
  AT_END = 5,
  TURN_MS = 12_000,
  STEP_MS = 1_200, // a step of a replay, slow enough to follow
  STEPS = 60, // only the last steps of a long match
  HELD = 5, // how many steps the end stays
  SOON_MS = 15_000; // until surprises are requested again
let places = {},
  seen = "",
  turn = 0,
  timers = [],
  upset = { ids: [], number: -1, at: null };

const main = () => {
  const night = about.night;
  return (
    night.tables.find((one) => !one.game && one.rows.length) ||
    night.tables.find((one) => one.rows.length) ||
    night.tables[0]
  );
};
const clock = (at) => new Date(at * 1000).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

// Note which bots have changed places since the screen was last drawn, and when.
function follow(one) {
  const key = `${one.label}/${about.night.made}`;
  if (key === seen) return;
  seen = key;
  const now = Date.now() / 1000;
  for (const row of one.rows) {
    const at = row.rank;
    const was = places[row.bot];
    if (!was) places[row.bot] = { at, by: 0, since: now };
    else if (was.at !== at) places[row.bot] = { at, by: was.at - at, since: now };
  }
}
const moved = (bot) => {
  const was = places[bot];
  if (!was || !was.by) return h("span.moved");
  const up = was.by > 0;
  return h(
    "span",
    { class: `moved ${up ? "up" : "down"}` },
    h("span", { "aria-hidden": "true" }, up ? "▲" : "▼"),
    String(Math.abs(was.by)),
    h("span.unseen", up ? " places up" : " places down"),
    h("small", ` ${clock(was.since)}`),
  );
};

// The board to show: the one whose bots are highest in the table.
const highest = (boards, order) => {
  const places = (board) =>
    board.names.reduce((sum, bot) => sum + (order.includes(bot) ? order.indexOf(bot) : order.length), 0);
  return [...boards].sort((a, b) => places(a) - places(b))[0];
};

const row = (each, bar) =>
  h(
    "li",
    { "data-key": each.bot, class: places[each.bot] && places[each.bot].by ? "has-moved" : "" },
    h("span.rank", each.rank),
    moved(each.bot),
    h("span.bot", { title: each.bot }, each.unfenced ? `${each.bot} (unfenced)` : each.bot),
    h("span.elo", eloText(each)),
    h("span.share", bar(each)),
  );

function table(one, most = TOP) {
  const rows = one.rows.slice(0, most),
    bar = ratingBars(rows);
  return h(
    "section.top",
    { "data-key": "top" },
    h("h2", one.label, one.rows.length > most && h("small", ` top ${most} of ${one.rows.length}`)),
    rows.length
      ? h(
          "ol",
          rows.map((each) => row(each, bar)),
        )
      : quiet("The first deals are being played."),
  );
}

const drawn = (one, what) =>
  h(
    "section.now-playing",
    { "data-key": one.id },
    h("h2", one.names.join(" – "), h("small", ` ${what}`)),
    h("p.say", one.say),
    draw(one.game, one.table, { names: one.names, seat: null }),
  );
// The board of a match in progress, else the replay of a surprising match.
function board() {
  const shown = tablesTold();
  const order = main().rows.map((each) => each.bot),
    one = shown && highest(shown.boards, order);
  return one ? drawn(one, one.contest) : replayed();
}
function replayed() {
  const id = upset.ids[upset.number % upset.ids.length],
    match = id && replayOf(id);
  if (!match || !match.frames) return null;
  const at = Math.min(upset.at ?? 0, match.frames.length - 1);
  return drawn(
    { ...match, id, say: match.frames[at].say, table: match.tables[at] },
    `${match.title}, a surprise of this night`,
  );
}
// Advance the replay by a step; after its end show the next replay.
async function play() {
  const match = upset.ids.length && replayOf(upset.ids[upset.number % upset.ids.length]);
  if (match && match.waiting) return;
  const last = match && match.frames ? match.frames.length + HELD : 0;
  if (last && (upset.at ?? 0) < last) upset.at = (upset.at ?? Math.max(0, last - HELD - STEPS)) + 1;
  else if (!upset.asked) {
    upset.asked = true;
    const ids = await get("api/upsets").catch(() => []);
    upset = { ids, number: upset.number + 1, at: null, asked: !ids.length };
    if (!ids.length) setTimeout(() => (upset.asked = false), SOON_MS);
  }
  redraw(["screen"]);
}
const settled = (one) => {
  if (!one.stop) return null;
  const open = one.stop.pairs.filter((pair) => !pair.decided),
    needed = Math.max(0, ...open.map((pair) => pair.deals_needed ?? 0));
  return h(
    "p",
    one.stop.settled
      ? "The order is certain."
      : `${open.length} of ${one.stop.pairs.length} places are not certain yet${needed ? `: about ${needed} deals more` : ""}.`,
  );
};
function facts() {
  const { progress } = about;
  return h(
    "section.facts-of",
    { "data-key": "facts" },
    progress &&
      h(
        "p",
        h(
          "b",
          progress.state === "paused"
            ? "Paused"
            : progress.left_s
              ? `${timeLeft(progress.left_s)} left`
              : progress.state === "complete"
                ? "Over"
                : "",
        ),
        ` ${progress.played.toLocaleString("en")} of ${progress.scheduled.toLocaleString("en")} matches`,
        progress.paused ? `: ${progress.paused}` : "",
      ),
    about.night.tables.filter((one) => one.stop).map(settled),
  );
}

// The podium stays; beside it the bracket and a replay take turns.
function ended(playing) {
  const finals = about.night.tables.filter((one) => isBracket(one));
  const one = finals.length === 1 ? finals[0] : main();
  return [
    h("section.end", { "data-key": "end" }, winner(one), podium(one)),
    table(main(), AT_END),
    finals.length && (turn % 2 === 0 || !playing)
      ? h(
          "section.end-bracket",
          { "data-key": "bracket" },
          finals.slice(0, 2).map((each) => rounds(each)),
        )
      : playing,
  ];
}

function step() {
  turn += 1;
  redraw(["screen"]);
}
export const stopScreen = () => {
  timers.forEach(clearInterval);
  timers = [];
  document.body.classList.remove("on-screen");
};

views.screen = () => {
  const night = about.night,
    over = night.over;
  document.body.classList.add("on-screen");
  if (!timers.length) {
    timers = [setInterval(step, TURN_MS), setInterval(play, STEP_MS)];
    play();
  }
  if (!over) followTables();
  const all = night.tables.filter((one) => one.rows.length),
    one = all.length > 1 && !over ? [main(), ...all.filter((each) => each !== main())][turn % all.length] : main();
  follow(main());
  const playing = board();
  hooks.keys = { Escape: () => go("standings") };
  return [
    h("a.skip", { href: "#/standings" }, "Leave the big screen"),
    h("h1", night.league),
    h(
      "div",
      { class: `big-screen${playing ? " with-board" : ""}${over ? " over" : ""}` },
      over ? ended(playing) : [table(one), playing, facts()],
      about.code &&
        h("aside.address", { "data-key": "address" }, h("img", { src: about.code, alt: "" }), h("p", about.link)),
    ),
  ];
};
