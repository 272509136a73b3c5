// The workshop, for writing, testing, playing and handing in a bot. The bot runs in a worker (tab.js).
import { h, labelled, quiet, select, signed, svg } from "./dom.js";
import { about, hooks, redraw, views } from "./state.js";

const CodeMirror = /** @type {any} */ (globalThis).CodeMirror;
const COUNTS = [20, 200, 1000];
const SILENT_MS = 25000; // the bot's own watchdog acts first, after 10 s
const READ_MS = 60000;
const MOST_NEWS = 20000; // a limit for a bot that breaks into its worker and floods the page
const WIDE = 600,
  ELO = 400;
const PUBLISHING =
  "Everybody in this place can then read your bot's text, copy it and play against it. " +
  "You can take it back, but not what was copied. Publish it?";
const FILES = { texts: "my_bot.py", tests: "test_my_bot.py" };
const page = () => about.workshop;
const game = () => page().games[work.game] || page().games[0];
const published = () => page().published || [];
const rival = () => published().find(({ id }) => work.opponent === `version/${id}`);
const opponent = () => (rival() || game().samples.includes(work.opponent) ? work.opponent : game().usual);

// The browser's stored data: the files by game, and the author's choices.
let work = { texts: {}, tests: {}, game: 0, matches: 200 };
const place = () => `pips-workshop ${page().whose || ""}`;
function keep() {
  try {
    localStorage.setItem(place(), JSON.stringify(work));
  } catch {
    told = "This browser keeps nothing: save your bot as a file.";
  }
}
function recall() {
  try {
    work = { ...work, ...JSON.parse(localStorage.getItem(place())) };
  } catch {
    told = "What this browser kept could not be read.";
  }
}

let worker = null,
  state = "waking",
  told = "",
  silent = 0,
  news = 0,
  drawing = 0,
  queued = null, // the job that begins once Python is loaded
  read = "", // the requested match
  answer = null; // called with a course
let shown = {}; // the messages about the last job, by kind
const records = {};
// A new worker; the old one ends, with everything in it. A worker that reads matches never runs a bot.
function wake(why = "") {
  if (worker) {
    worker.onmessage = worker.onerror = null;
    worker.terminate();
  }
  clearTimeout(silent);
  if (answer) answer({ error: "it was stopped: try again" });
  const at = (address) => new URL(address, document.baseURI).href;
  worker = new Worker("static/tab.js", { type: "module" });
  worker.onmessage = ({ data }) => hear(data);
  worker.onerror = (event) => hear({ kind: "broken", error: event.message || "the worker did not start" });
  const { runtime, wheels, lock } = page();
  worker.postMessage({ kind: "begin", runtime: at(runtime), wheels: wheels.map(at), lock });
  state = "waking";
  told = why;
  queued = answer = null;
}
function stop(why) {
  wake(`${why}${RUNS[state] && shown.far ? ` ${shown.far.played} of ${shown.far.of} matches were played.` : ""}`);
  redraw();
}
// Send the worker a job as soon as Python is loaded.
function run(kind, asked) {
  if (RUNS[kind] && READS[state]) wake();
  if (RUNS[kind] && state !== "broken") {
    shown = {};
    told = "";
  }
  queued = () => {
    queued = null;
    state = kind;
    read = asked.id;
    news = 0;
    worker.postMessage({ kind, ...asked });
    watch();
    redraw();
  };
  if (state === "ready") queued();
  else if (state !== "waking") queued = null;
  redraw();
}
const acts = {
  ready: () => {
    state = "ready";
    if (queued) queued();
  },
  replay: ({ views }) => {
    state = "ready";
    about.replays[read] = views;
    location.hash = `#/match/${read}/${views[0].explained.length ? "fault" : 0}`;
  },
  course: ({ course, error }) => {
    state = "ready";
    if (answer) answer({ course, error });
  },
  broken: ({ error }) => {
    if (READS[state]) return stop(`This match cannot be read: ${error}.`);
    if (state !== "waking") return stop(`Python stopped in this tab: ${error}. Does the bot use a lot of memory?`);
    state = "broken";
    told = `Python cannot be loaded: ${error}. Reload the page.`;
  },
};
for (const kind of ["begun", "far", "refused", "result", "tested"]) acts[kind] = (data) => (shown[kind] = data);
acts.over = (data) => {
  shown.over = data;
  wake(told);
};
// A bot that breaks into its worker can send anything: nonsense or an unrequested message ends the worker.
function hear(data) {
  clearTimeout(silent);
  try {
    if (++news > MOST_NEWS) throw new Error("it sent too much");
    if (![...TELLS[state], "broken"].includes(data.kind)) throw new Error("nobody asked for that");
    acts[data.kind](data);
    drawing ||= requestAnimationFrame(draw);
  } catch (error) {
    distrust(error);
  }
  if (RUNS[state]) watch();
}
function watch() {
  clearTimeout(silent);
  silent = setTimeout(unheard, RUNS[state] ? SILENT_MS : READ_MS);
}
function draw() {
  drawing = 0;
  try {
    redraw();
  } catch (error) {
    distrust(error);
  }
}
function distrust(error) {
  shown = {};
  stop(`What the bot's worker sent cannot be shown, so it was stopped: ${error.message}.`);
}
const unheard = () =>
  stop(
    READS[state]
      ? `The match was not read within ${READ_MS / 1000} s, so that was stopped.`
      : `Nothing was heard of the bot for ${SILENT_MS / 1000} s, so it was stopped. Is there a loop in it that ` +
          "never ends: in a call of Python's own, or behind a bare `except:`?",
  );
const source = () => docs.texts.getValue();
async function play() {
  if (RUNS[state]) return;
  const { name, seats, options } = game(),
    of = rival();
  try {
    const asked = {
      source: source(),
      python: page().python,
      patience_s: page().patience_s,
      game: name,
      seats,
      options,
    };
    const against = of ? { rival: await version(of.id), opponent: of.bot } : { opponent: opponent() };
    run("play", { ...asked, ...against, matches: work.matches });
  } catch (error) {
    told = `${of.bot} cannot be opened: ${error.message}.`;
    redraw();
  }
}
function test() {
  const tests = docs.tests.getValue();
  const asked = { source: source(), tests, python: page().python, patience_s: page().patience_s };
  if (!RUNS[state]) run("tests", asked);
}
// The page of replays calls this for the course of a match that was played here.
hooks.local = (address) => {
  const [, id] = address.match(/^api\/match\/(own-.+)\/course$/) || [];
  if (!id || !page()) return null;
  return new Promise((resolve, reject) => {
    if (state !== "ready" || !records[id])
      reject(new Error("Python is at work or being loaded: try again, or play once more"));
    else {
      answer = ({ course, error }) => (course ? resolve(course) : reject(new Error(error)));
      run("course", { id, record: records[id] });
    }
  });
};
function replay({ id, record }) {
  records[id] = record;
  run("replay", { id, record });
}

let editor = null,
  box = null,
  docs = null,
  file = "texts";
const begin = (kind) => CodeMirror.Doc(work[kind][game().name] || game()[kind], "python");
function edit() {
  box = h("div.editor");
  box.$same = "editor";
  docs = { texts: begin("texts"), tests: begin("tests") };
  editor = CodeMirror(box, {
    value: docs[file],
    lineNumbers: true,
    indentUnit: 4,
    inputStyle: "contenteditable",
    screenReaderLabel: "Your bot in Python",
    extraKeys: {
      Tab: (it) => it.execCommand(it.somethingSelected() ? "indentMore" : "insertSoftTab"),
      "Shift-Tab": "indentLess",
      Esc: () => document.getElementById("state").focus(),
      "Ctrl-Enter": play,
      "Cmd-Enter": play,
    },
  });
  editor.on("change", () => {
    work[file][game().name] = editor.getValue();
    keep();
  });
}
// The editor is drawn once. If the page has it already, this element stands in for it.
function editorHere() {
  if (box.isConnected) return Object.assign(h("div"), { $same: "editor" });
  setTimeout(() => editor.refresh());
  return box;
}
function turn(to) {
  file = to;
  editor.swapDoc(docs[file]);
  redraw();
}
function choose(key, value) {
  work[key] = value;
  keep();
  if (key === "game") {
    docs = { texts: begin("texts"), tests: begin("tests") };
    turn("texts");
  }
  redraw();
}
function save() {
  const href = URL.createObjectURL(new Blob([editor.getValue()], { type: "text/x-python" }));
  h("a", { download: FILES[file], href }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}
async function open(text) {
  try {
    editor.setValue(await text);
  } catch (error) {
    told = `It cannot be opened: ${error.message}.`;
    redraw();
  }
}
async function version(id) {
  const answer = await fetch(`version/${id}`);
  if (!answer.ok) throw new Error("it is not one file, or is gone; your own page has what there is");
  return answer.text();
}

function interval({ elo, low, high }) {
  if (typeof elo !== "number") return null;
  if (typeof (low ?? high) !== "number") return quiet("There is no interval yet.");
  const x = (value) => (WIDE / 2) * (1 + Math.max(-ELO, Math.min(ELO, value)) / ELO);
  const [from, to] = [x(low ?? -ELO), x(high ?? ELO)];
  const known = typeof low === "number" && typeof high === "number";
  const words = known ? `, 95 % interval ${signed(low)} to ${signed(high)}` : "";
  return [
    svg(
      "svg.interval",
      { viewBox: `0 0 ${WIDE} 30`, "aria-hidden": "true" },
      svg("line", { x1: WIDE / 2, x2: WIDE / 2, y1: 1, y2: 29 }),
      svg("rect", { x: from, y: 9, width: Math.max(2, to - from), height: 12, rx: 6 }),
      svg("circle", { cx: x(elo), cy: 15, r: 7 }),
    ),
    quiet(`${signed(elo)} Elo${words}`),
  ];
}

const READS = { replay: () => "The match is being read …", course: () => "A match is being analysed …" };
const RUNS = {
  play: () => (shown.far ? `${shown.far.played} of ${shown.far.of} matches are played.` : "It begins …"),
  tests: () => "The tests are run …",
};
const STATES = {
  waking: () => `Python is being loaded …${queued ? " Then it begins." : ""}`,
  ready: () => "Ready.",
  broken: () => "",
  ...READS,
  ...RUNS,
};
// The messages that the worker may send in each state.
const TELLS = {
  waking: ["ready"],
  ready: [],
  broken: [],
  replay: ["replay"],
  course: ["course"],
  play: ["begun", "far", "refused", "result", "over"],
  tests: ["refused", "tested", "over"],
};
const lostMatches = ({ lost, losses }) =>
  `Lost matches${lost.length < losses ? `: the ${lost.length} clearest of ${losses}` : ""}`;
const block = (title, lines, kind = null) => [
  h("h2", title),
  h("pre", { tabindex: "0", class: kind }, lines.join("\n")),
];
const button = (words, act, more) => h("button", { onclick: act, ...more }, words);
function outcome() {
  const { begun, far, refused, result, tested, over } = shown;
  const look = (match) =>
    button("Look at", () => replay(match), {
      disabled: !["waking", "ready"].includes(state),
      "aria-label": `Look at ${match.line}`,
    });
  return [
    begun && quiet(begun.line),
    far && interval(far),
    begun && begun.hints.length > 0 && block("Is this intended?", begun.hints),
    refused && block("What went wrong", refused.lines, "fault"),
    tested && block(`${tested.passed} of ${tested.of} tests passed`, tested.lines),
    result && block("The result", result.lines),
    result && result.lost.length > 0 && h("h2", lostMatches(result)),
    result &&
      h(
        "ul.lost",
        result.lost.map((match) => h("li", look(match), ` ${match.line}`)),
      ),
    over && over.size > 0 && block("It printed", [over.printed]),
    over &&
      over.size > over.printed.length &&
      quiet(`This is the end of ${over.size.toLocaleString("en")} characters.`),
  ];
}

// At a place: hand the bot in as on the author's own page, which then shows its check.
function form(action, words, fields, more) {
  const hidden = Object.entries({ form: page().form, ...fields });
  return h(
    "form",
    { method: "post", action, enctype: "multipart/form-data", ...more },
    hidden.map(([name, value]) => h("input", { type: "hidden", name, value })),
    h("button", words),
  );
}
function handIn() {
  const { hand_in: action, versions = [] } = page();
  const onsubmit = (event) => (event.target.elements.text.value = source());
  const own = [["", "of yours"], ...versions.map(({ id, bot }) => [String(id), bot])];
  const askFirst = (event) => {
    if (!confirm(PUBLISHING)) event.preventDefault();
  };
  const opened = (id) => {
    if (id) turn("texts");
    if (id) open(version(id));
  };
  const newest = versions.find(({ ready }) => ready);
  const offered = newest && !published().some(({ id }) => id === newest.id);
  return [
    action && form(action, "Hand in", { name: "bot.py", text: "" }, { onsubmit }),
    versions.length > 0 && select("Open a version", own, "", opened),
    offered && form("publish", `Publish ${newest.bot}`, { version: newest.id }, { onsubmit: askFirst }),
    published().map(({ id, bot, own }) => own && form("publish", `Take ${bot} back`, { version: id, off: "yes" })),
  ];
}
function files() {
  const onchange = (event) => event.target.files[0] && open(event.target.files[0].text());
  return [
    handIn(),
    button("Save as a file", save),
    labelled("Open a file", h("input", { type: "file", accept: ".py", onchange })),
    button("Begin anew", () => open(game()[file])),
  ];
}

views.workshop = () => {
  if (!editor) {
    recall();
    edit();
    wake(told);
  }
  const running = RUNS[state];
  const titles = page().games.map(({ title }, number) => [number, title]);
  const others = published().map(({ id, bot }) => [`version/${id}`, `${bot} (published)`]);
  const off = state === "broken" ? "true" : null;
  return [
    h("h1", "Workshop"),
    h(
      "div.controls",
      select("Game", titles, work.game, (value) => choose("game", Number(value))),
      h("a", { href: `rules/${game().name}`, target: "_blank" }, "Rules"),
      select("Against", [...game().samples, ...others], opponent(), (value) => choose("opponent", value)),
      select("Matches", COUNTS, work.matches, (value) => choose("matches", Number(value))),
      button(running ? "Stop" : "Play", running ? () => stop("Stopped.") : play, {
        id: "play",
        class: "play",
        "aria-disabled": off,
      }),
      button("Run the tests", test, { "aria-disabled": running ? "true" : off }),
      select("File", Object.entries(FILES), file, turn),
    ),
    editorHere(),
    quiet(
      "Esc leaves the editor, and Tab goes on from there. Ctrl-Enter plays. What you write is kept in this browser.",
    ),
    h("p", { role: "status", id: "state", tabindex: "-1" }, told, " ", STATES[state]()),
    h("div.outcome", outcome()),
    h("div.controls.files", files()),
    page().published && quiet("Everybody can read a published bot. It plays in your tab when you click Play."),
    quiet("A tab has no clock. How fast a bot answers here says little about a league, where its own machine counts."),
  ];
};
// A replay exists only in the page that played it.
if (location.hash.startsWith("#/match/own-")) location.hash = "#/workshop";
