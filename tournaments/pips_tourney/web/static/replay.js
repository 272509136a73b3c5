// A match frame by frame. #/match/ID/12?seat=1 is a moment of it.
import { draw } from "./boards.js";
import { costlyHere, courseOf, courseSection, courseStrip, mistakeFrames, worstFrame } from "./course.js";
import { h, quiet, seatWord, select, svg, time } from "./dom.js";
import { about, get, go, hooks, redraw, route, views, width } from "./state.js";

const SPEEDS = [
  ["2400", "slow"],
  ["1200", "normal"],
  ["500", "fast"],
  ["120", "very fast"],
];
const LINES = 7;
const loaded = {};
let timer = null,
  speed = "1200";

// Frames contain only changes. This list has every table in full.
export const unfold = (frames, before = {}) => {
  let table = before;
  return frames.map((frame) => (table = { ...table, ...frame.set }));
};

const key = (id, seat) => `${id}/${seat}`;
// A match with its tables, once it has been read.
export const replayOf = (id, seat = "") => {
  if (!loaded[key(id, seat)]) {
    loaded[key(id, seat)] = { waiting: true };
    load(id, seat);
  }
  return loaded[key(id, seat)];
};
async function load(id, seat) {
  const kept = (about.replays || {})[id];
  await null; // the calling view is being drawn
  try {
    const found = kept
      ? kept[seat === "" ? 0 : 1 + Number(seat)] || kept[0]
      : about.mode === "report"
        ? { error: "this match's replay is not in the report" }
        : await get(
            id.startsWith("own-")
              ? `api/seats/${id.slice(4)}/replay`
              : `api/match/${id}${seat === "" ? "" : `?seat=${seat}`}`,
          );
    loaded[key(id, seat)] = found.error ? found : { ...found, tables: unfold(found.frames) };
  } catch (error) {
    loaded[key(id, seat)] = { error: error.message };
  }
  redraw();
}

export const stopReplay = () => {
  clearInterval(timer);
  timer = null;
};

views.match = ([id, step], query) => {
  const seat = query.get("seat") || "",
    match = replayOf(id, seat);
  if (match.waiting) return [h("h1", "Match"), quiet("It is being read …")];
  if (match.error) return [h("h1", "Match"), h("p.note", `${match.error}. To try again, reload the page.`)];
  const last = match.frames.length - 1,
    faults = match.frames.flatMap((frame, place) => (frame.fault ? [place] : []));
  const named = { fault: () => faults[0] ?? last, worst: () => worstFrame(id, seat) }[step];
  const now = Math.min(last, Math.max(0, named ? named() : Number(step) || 0));
  const to = (place) => go(`match/${id}/${Math.min(last, Math.max(0, place))}`, { seat }, true);
  const play = () => {
    if (timer) {
      stopReplay();
      redraw();
      return;
    }
    if (now === last) to(0);
    timer = setInterval(() => {
      const { path, query: asked } = route();
      const at = Number.isNaN(Number(path[2])) ? now : Number(path[2]);
      if (path[0] !== "match" || at >= last) {
        stopReplay();
        redraw();
        return;
      }
      go(`match/${id}/${at + 1}`, { seat: asked.get("seat") || "" }, true);
    }, Number(speed));
    redraw();
  };
  const mistakes = mistakeFrames(courseOf(id), seat);
  const nextMistake = () => to(mistakes.find((place) => place > now) ?? mistakes[0]);
  const lastMistake = () => to(mistakes.findLast((place) => place < now) ?? mistakes.at(-1));
  const nextFault = () => to(faults.find((place) => place > now) ?? faults[0]);
  hooks.keys = {
    ArrowRight: () => to(now + 1),
    ArrowLeft: () => to(now - 1),
    Home: () => to(0),
    End: () => to(last),
    " ": play,
    f: () => faults.length && nextFault(),
    m: () => mistakes.length && nextMistake(),
    M: () => mistakes.length && lastMistake(),
  };
  const view = { seat, now, last, to, width: width() };
  const frame = match.frames[now],
    scene = { names: match.names, seat: match.seat };
  const icon = (d) => svg("svg.icon", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d }));
  const control = (sign, said, act, off) =>
    h("button", { title: said, "aria-label": said, disabled: off, onclick: act }, icon(sign));
  return [
    h("h1", match.title, h("span.quiet", ` ${match.names.join(" – ")}`)),
    h(
      "div.controls",
      { role: "group", "aria-label": "Replay" },
      control("M2 2h2.500v12H2zM14 2v12L5.500 8z", "To the beginning", () => to(0), now === 0),
      control("M12 2v12L3.500 8z", "Back", () => to(now - 1), now === 0),
      h("button.play", { onclick: play, "aria-pressed": String(Boolean(timer)) }, timer ? "Pause" : "Play"),
      control("M4 2v12L12.500 8z", "Forward", () => to(now + 1), now === last),
      control("M11.500 2H14v12h-2.500zM2 2v12l8.500-6z", "To the end", () => to(last), now === last),
      h("input", {
        type: "range",
        min: 0,
        max: last,
        value: now,
        "aria-label": "Step",
        "aria-valuetext": `step ${now} of ${last}`,
        oninput: (event) => to(Number(event.target.value)),
      }),
      h("output", `${now} / ${last}`),
    ),
    courseStrip(id, match, view),
    h(
      "div.play-area",
      h(
        "div.stage",
        h(
          "p",
          { class: `now${frame.fault ? " fault" : ""}`, "aria-live": timer ? "off" : "polite" },
          frame.say,
          frame.ms !== undefined && h("small", ` ${time(frame.ms)}`),
          frame.auto && h("small", " by the autopilot"),
        ),
        costlyHere(id, match, view, step === "worst"),
        draw(match.game, match.tables[now], scene),
      ),
      h(
        "aside",
        { "aria-label": "What happened" },
        h(
          "div.controls.second",
          select("Speed", SPEEDS, speed, (value) => {
            speed = value;
            if (timer) {
              stopReplay();
              play();
            }
          }),
          select(
            "Seen by",
            [
              ["", "everybody's cards"],
              ...match.names.map((name, place) => [place, `${name} (${seatWord(place)} seat)`]),
            ],
            seat,
            (value) => go(`match/${id}/${now}`, { seat: value }, true),
          ),
          faults.length > 0 &&
            h("button.fault", { onclick: nextFault }, faults.length > 1 ? "To the next fault" : "To the fault"),
        ),
        h("h2", "What happened"),
        h(
          "ol.log",
          { start: String(Math.max(0, now - LINES)) },
          match.frames
            .slice(Math.max(0, now - LINES), now + 1)
            .map((each, place, shown) =>
              h(
                "li",
                { class: `${place === shown.length - 1 ? "current" : ""}${each.fault ? " fault" : ""}` },
                each.say,
              ),
            ),
        ),
        h(
          "p.keys",
          `← → step, space plays, home, end${faults.length ? ", f fault" : ""}${mistakes.length ? ", m M next, last mistake" : ""}`,
        ),
      ),
    ),
    courseSection(id, match, view),
    match.explained &&
      match.explained.length > 0 &&
      h("section.explained", h("h2", "What went wrong"), h("pre", { tabindex: "0" }, match.explained.join("\n"))),
  ];
};
