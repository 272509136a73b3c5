// The workshop: a bot is written, played and handed in. It plays in a worker (tab.js).
"use strict";
(() => {
  const { h, svg, quiet } = Pips;
  const COUNTS = [20, 200, 1000];
  const SILENT_MS = 25000; // the bot's own watchdog comes first, after 10 s
  const WIDE = 600,
    ELO = 400;
  const page = () => Pips.about.workshop;
  const game = () => page().games[work.game] || page().games[0];
  const opponent = () => (game().samples.includes(work.opponent) ? work.opponent : game().usual);

  // What the browser keeps: the texts by game, and what was chosen.
  let work = { texts: {}, game: 0, matches: 200 };
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
    silent = 0;
  let head, far, refused, result, printed; // of the series that is played, or was
  // A new worker. The one before ends, and all that ran in it.
  function wake(why = "") {
    if (worker) worker.terminate();
    clearTimeout(silent);
    const at = (address) => new URL(address, document.baseURI).href;
    worker = new Worker("static/tab.js", { type: "module" });
    worker.onmessage = ({ data }) => hear(data);
    worker.onerror = (event) => hear({ kind: "broken", error: event.message || "the worker did not start" });
    worker.postMessage({ kind: "begin", runtime: at(page().runtime), wheels: page().wheels.map(at) });
    state = "waking";
    told = why;
  }
  function stop(why) {
    wake(`${why}${far ? ` ${far.played} of ${far.of} matches were played.` : ""}`);
    Pips.redraw();
  }
  const acts = {
    ready: () => (state = "ready"),
    begun: (data) => (head = data),
    far: (data) => (far = data),
    refused: (data) => (refused = data.lines),
    result: (data) => (result = data),
    over: (data) => {
      printed = data;
      state = "ready";
    },
    replay: ({ id, views }) => {
      if (state !== "reading") return; // nobody waits for it any more
      state = "ready";
      Pips.about.replays[id] = views;
      location.hash = `#/match/${id}/${views[0].explained.length ? "fault" : 0}`;
    },
    broken: ({ error }) => {
      if (state !== "waking")
        return stop(`Python came to its end in this tab: ${error}. Does the bot take much memory?`);
      state = "broken";
      told = `Python cannot be had: ${error}. Load the page again.`;
    },
  };
  function hear(data) {
    acts[data.kind](data);
    clearTimeout(silent);
    if (state === "playing") silent = setTimeout(unheard, SILENT_MS);
    Pips.redraw();
  }
  const unheard = () =>
    stop(
      `Nothing was heard of the bot for ${SILENT_MS / 1000} s, so it was stopped. Is there a loop in it that ` +
        "never ends: in a call of Python's own, or behind a bare `except:`?",
    );
  function play() {
    if (state !== "ready") return;
    head = far = refused = result = printed = undefined;
    told = "";
    state = "playing";
    const { name, seats, options } = game();
    worker.postMessage({
      kind: "play",
      source: editor.getValue(),
      python: page().python,
      patience_s: page().patience_s,
      game: name,
      seats,
      options,
      opponent: opponent(),
      matches: work.matches,
    });
    silent = setTimeout(unheard, SILENT_MS);
    Pips.redraw();
  }
  function replay({ id, record }) {
    state = "reading";
    worker.postMessage({ kind: "replay", id, record });
    Pips.redraw();
  }

  let editor = null,
    box = null;
  function edit() {
    box = h("div", { class: "editor" });
    box.$same = "editor";
    editor = CodeMirror(box, {
      value: work.texts[game().name] || game().text,
      mode: "python",
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
      work.texts[game().name] = editor.getValue();
      keep();
    });
  }
  // The editor is drawn once. Where it is in the page already, this stands for it.
  function editorHere() {
    if (box.isConnected) return Object.assign(h("div"), { $same: "editor" });
    setTimeout(() => editor.refresh());
    return box;
  }
  function choose(key, value) {
    work[key] = value;
    keep();
    if (key === "game") editor.setValue(work.texts[game().name] || game().text);
    Pips.redraw();
  }
  function save() {
    const href = URL.createObjectURL(new Blob([editor.getValue()], { type: "text/x-python" }));
    h("a", { download: "my_bot.py", href }).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
  }
  async function open(text) {
    try {
      editor.setValue(await text);
    } catch (error) {
      told = `It cannot be opened: ${error.message}.`;
      Pips.redraw();
    }
  }
  async function version(id) {
    const answer = await fetch(`version/${id}`);
    if (!answer.ok) throw new Error("it is not one file, or is gone; your own page has what there is");
    return answer.text();
  }

  function interval({ elo, low, high }) {
    if (typeof elo !== "number") return null;
    const x = (value) => (WIDE / 2) * (1 + Math.max(-ELO, Math.min(ELO, value)) / ELO);
    const [from, to] = [x(low ?? -ELO), x(high ?? ELO)];
    const known = typeof low === "number" && typeof high === "number";
    const words = known ? `, 95 % interval ${Pips.signed(low)} to ${Pips.signed(high)}` : "";
    return [
      svg(
        "svg",
        { class: "interval", viewBox: `0 0 ${WIDE} 30`, "aria-hidden": "true" },
        svg("line", { x1: WIDE / 2, x2: WIDE / 2, y1: 1, y2: 29 }),
        svg("rect", { x: from, y: 9, width: Math.max(2, to - from), height: 12, rx: 6 }),
        svg("circle", { cx: x(elo), cy: 15, r: 7 }),
      ),
      quiet(`${Pips.signed(elo)} Elo${words}`),
    ];
  }

  const STATES = {
    waking: "Python is being loaded …",
    reading: "The match is being read …",
    ready: "Ready.",
    broken: "",
  };
  const progress = () => (far ? `${far.played} of ${far.of} matches are played.` : "It begins …");
  const block = (title, lines, kind = null) => [
    h("h2", null, title),
    h("pre", { tabindex: "0", class: kind }, lines.join("\n")),
  ];
  const button = (words, act, more) => h("button", { type: "button", onclick: act, ...more }, words);
  function outcome() {
    const look = (match) =>
      button("Look at", () => replay(match), { disabled: state !== "ready", "aria-label": `Look at ${match.line}` });
    return [
      head && quiet(head.line),
      far && interval(far),
      head && head.hints.length > 0 && block("Is this meant?", head.hints),
      refused && block("What went wrong", refused, "fault"),
      result && block("The result", result.lines),
      result && result.lost.length > 0 && h("h2", null, "Lost matches"),
      result &&
        h(
          "ul",
          { class: "lost" },
          result.lost.map((match) => h("li", null, look(match), ` ${match.line}`)),
        ),
      printed && printed.size > 0 && block("It printed", [printed.printed]),
      printed &&
        printed.size > printed.printed.length &&
        quiet(`This is the end of ${printed.size.toLocaleString("en")} characters.`),
    ];
  }

  // At a place: the bot is handed in as on one's own page, which then shows its check.
  function handIn() {
    const { form, hand_in: action, versions } = page();
    if (!form) return null;
    const hidden = (name, value) => h("input", { type: "hidden", name, value });
    const onsubmit = (event) => (event.target.elements.text.value = editor.getValue());
    const fields = [hidden("form", form), hidden("name", "bot.py"), hidden("text", "")];
    const own = [["", "of yours"], ...versions.map(({ id, bot }) => [String(id), bot])];
    return [
      h(
        "form",
        { method: "post", action, enctype: "multipart/form-data", onsubmit },
        fields,
        h("button", null, "Hand in"),
      ),
      versions.length > 0 && Pips.select("Open a version", own, "", (id) => id && open(version(id))),
    ];
  }
  function files() {
    const onchange = (event) => event.target.files[0] && open(event.target.files[0].text());
    return [
      handIn(),
      button("Save as a file", save),
      h(
        "label",
        { class: "field" },
        h("span", null, "Open a file"),
        h("input", { type: "file", accept: ".py", onchange }),
      ),
      button("Begin anew", () => open(game().text)),
    ];
  }

  Pips.views.workshop = () => {
    if (!editor) {
      recall();
      edit();
      wake(told);
    }
    const playing = state === "playing";
    const each = (values) => values.map((value) => [String(value), String(value)]);
    const titles = page().games.map(({ title }, number) => [String(number), title]);
    return [
      h("h1", null, "Workshop"),
      h(
        "div",
        { class: "controls" },
        Pips.select("Game", titles, String(work.game), (value) => choose("game", Number(value))),
        Pips.select("Against", each(game().samples), opponent(), (value) => choose("opponent", value)),
        Pips.select("Matches", each(COUNTS), String(work.matches), (value) => choose("matches", Number(value))),
        button(playing ? "Stop" : "Play", playing ? () => stop("Stopped.") : play, {
          id: "play",
          class: "play",
          "aria-disabled": playing || state === "ready" ? null : "true",
        }),
      ),
      editorHere(),
      quiet(
        "Esc leaves the editor, and Tab goes on from there. Ctrl-Enter plays. What you write is kept in this browser.",
      ),
      h("p", { role: "status", id: "state", tabindex: "-1" }, told, " ", playing ? progress() : STATES[state]),
      h("div", { class: "outcome" }, outcome()),
      h("div", { class: "controls files" }, files()),
      quiet("A tab has no clock. How fast a bot answers here says little of a league, whose own machine counts."),
    ];
  };
  // A replay lives in the page that played it.
  if (location.hash.startsWith("#/match/own-")) location.hash = "#/workshop";
})();
