// A person's seat. The person can give only answers that the server offers.
import { draw } from "./boards.js";
import { hand, isCard } from "./cards.js";
import { count, h, labelled, quiet, seatWord, select } from "./dom.js";
import { unfold } from "./replay.js";
import { about, get, go, redraw, send, views } from "./state.js";

let own = null,
  form = { options: {} },
  rules = {},
  wait = 450,
  timer = null,
  problem = "";
let chosen = [],
  stacks = [],
  filter = null;

const FEW = 12; // up to this many answers are buttons
const HOW = {
  give: "Choose three cards to give to the defender.",
  reveal: "Choose three cards to turn face up.",
  lead: "Lead a card.",
  answer: "Answer with a card.",
  draw: "Draw more?",
  lay: "Put stacks together, then lay them.",
  call: "Call a pair?",
  play: "Play a card.",
  resign: "You have no armies left. Resign?",
  declare: "Turn a card to attack?",
  attack: "Attack: choose a territory of yours, then the attack.",
  reinforce: "The red king brings an army. Where?",
  remove: "The black king takes an army. Where from?",
  conquer: "How many armies move in?",
  advance: "Advance: choose a territory, then how many.",
  deploy: "Deploy: choose a territory, then how many.",
};
const game = () => about.play.find((each) => each.game === form.game) || about.play[0];

// --- taking a seat

const field = (label, value, change, props) =>
  labelled(
    label,
    h("input", { type: "text", value: value ?? "", oninput: (event) => change(event.target.value), ...props }),
  );
// Options left at their defaults have no value in the form.
const optionOf = (one, name) => form.options[name] ?? one.options[name];
function optionField(one, name) {
  const usual = one.options[name],
    label = name[0].toUpperCase() + name.slice(1).replaceAll("_", " ");
  const set = (value) => (form.options[name] = value === "" ? undefined : value);
  const choose = (words, value, of = (word) => word) =>
    select(label, words, value, (word) => {
      set(of(word));
      redraw();
    });
  if (one.choices[name]) return choose(Object.keys(one.choices[name]), optionOf(one, name));
  if (usual === true || usual === false)
    return choose(["yes", "no"], optionOf(one, name) ? "yes" : "no", (word) => word === "yes");
  const placeholder = String(usual ?? "usual");
  if (typeof usual === "string") return field(label, form.options[name], set, { placeholder });
  return field(label, form.options[name], (text) => set(text && Number(text)), { type: "number", placeholder });
}

function offer() {
  const one = game();
  const bots = [...one.bots, ...Object.keys(about.against?.numbers || {})];
  const bot = [form.against, "greedy"].find((name) => bots.includes(name)) || bots[0];
  const [least, most] = Object.entries(one.choices).map(([name, seats]) => seats[optionOf(one, name)])[0] || [
    one.least,
    one.most,
  ];
  const seats = Array.from({ length: most - least + 1 }, (_, place) => least + place);
  const set = (name) => (value) => {
    form = { ...form, [name]: value };
    redraw();
  };
  const seatCount = Math.min(most, Math.max(least, Number(form.seats) || least)),
    seat = Math.min(Number(form.seat) || 0, seatCount - 1);
  const sit = async (event) => {
    event.preventDefault();
    problem = "The bot is being started …";
    redraw();
    const state = await send("POST", "api/seats", {
      game: one.game,
      against: bot,
      seats: seatCount,
      seat,
      options: form.options,
      seed: (form.seed || "").trim(),
    });
    if (state.error) {
      problem = state.error;
      redraw();
      return;
    }
    problem = "";
    own = null;
    take(state);
    go(`play/${state.id}`, {});
  };
  return [
    h("h1", "Play"),
    quiet("Take a seat against a bot. Only legal answers are offered, and the rules lie beside the table."),
    h(
      "form.offer",
      { onsubmit: sit },
      h(
        "fieldset.games",
        h("legend", "Game"),
        about.play.map((each) =>
          h(
            "label",
            { class: one === each ? "on" : "" },
            h("input", {
              type: "radio",
              name: "game",
              checked: one === each,
              onchange: () => {
                form = { ...form, game: each.game, seats: "", options: {} };
                redraw();
              },
            }),
            h("b", each.title),
            h("small", each.least === each.most ? `${each.least} seats` : `${each.least} to ${each.most} seats`),
          ),
        ),
      ),
      h(
        "div.fields",
        select("Against", bots, bot, set("against")),
        select("Seats", seats, seatCount, set("seats")),
        select(
          "Your seat",
          [...Array(seatCount).keys()].map((place) => [place, seatWord(place)]),
          seat,
          set("seat"),
        ),
        Object.keys(one.options).map((name) => optionField(one, name)),
        field("Deal", form.seed, (value) => (form.seed = value), { maxlength: 64, placeholder: "a new one" }),
      ),
      problem && h("p.note", { role: "alert" }, problem),
      h("button.primary", { type: "submit" }, "Sit down"),
    ),
  ];
}

// --- at the table

// New frames are shown one after another, and after the last one the question.
function take(state) {
  if (!own || own.id !== state.id) own = { ...state, frames: [], tables: [], at: 0 };
  const before = own.tables.at(-1) || {};
  own.frames = [...own.frames.slice(0, state.from), ...state.frames];
  own.tables = [...own.tables.slice(0, state.from), ...unfold(state.frames, before)];
  Object.assign(own, { ask: state.ask, over: state.over, failed: state.failed, seed: state.seed });
  chosen = [];
  stacks = [];
  filter = null;
  problem = "";
  if (state.from === 0) own.at = own.frames.length - 1;
  clearInterval(timer);
  const step = () => {
    if (own?.at < own?.frames?.length - 1) own.at += 1;
    else clearInterval(timer);
    redraw();
  };
  if (wait === 0) own.at = own.frames.length - 1;
  else timer = setInterval(step, wait);
}

async function answer(words) {
  const state = await send("POST", `api/seats/${own.id}`, {
    number: own.ask.number,
    answer: String(words),
    seen: own.frames.length,
  });
  if (state.error) problem = state.error;
  else take(state);
  redraw();
}
const answerWith = (action) => answer(own.ask.actions.indexOf(action) + 1);
const same = (one, other) => one.length === other.length && [...one].sort().join() === [...other].sort().join();

// The action of a pick, by kind of question. Null without a question.
function picking() {
  const ask = own.ask;
  if (!ask || ask.view !== undefined || own.at < own.frames.length - 1) return null;
  const actions = ask.actions,
    none = { chosen: () => [], chosenCell: () => false };
  switch (ask.kind) {
    case "lead":
    case "answer":
      return {
        ...none,
        hand: (code) => answerWith(actions.find((action) => action.card === code)),
        may: (code) => actions.some((action) => action.card === code),
      };
    case "play":
      return {
        ...none,
        hand: (code, group) =>
          answerWith(actions.find((action) => action.card === code && action.face_up === (group === "open"))),
        may: (code, group) => actions.some((action) => action.card === code && action.face_up === (group === "open")),
      };
    case "give":
    case "reveal":
      return {
        hand: (code) => {
          chosen = chosen.includes(code) ? chosen.filter((one) => one !== code) : [...chosen, code].slice(-3);
          redraw();
        },
        may: (code, group) => group === "hidden" && actions.some((action) => action.cards.includes(code)),
        chosen: (group) => (group === "hidden" ? places((code) => chosen.includes(code)) : []),
      };
    case "lay":
      return {
        hand: (_, __, place) => {
          chosen = chosen.includes(place) ? chosen.filter((one) => one !== place) : [...chosen, place];
          weigh();
        },
        may: (_, __, place) => !stacks.some((stack) => stack.places.includes(place)),
        chosen: () => chosen,
      };
    case "attack":
    case "advance":
    case "deploy":
    case "reinforce":
    case "remove": {
      const begins = (action) => action.source ?? action.cell;
      const may = (cell) => actions.some((action) => begins(action) === cell);
      return {
        ...none,
        cell: (cell) => {
          const here = actions.filter((action) => begins(action) === cell);
          if (here.length === 1) answerWith(here[0]);
          else {
            filter = filter === cell ? null : cell;
            redraw();
          }
        },
        mayCell: may,
        chosenCell: (cell) => filter === cell,
      };
    }
    default:
      return none;
  }
}
const myHand = () => {
  const table = own.tables.at(-1);
  return (table.hidden || table.hands)[own.seat];
};
const places = (holds) => myHand().flatMap((code, place) => (holds(code) ? [place] : []));

let weighed = null;
async function weigh() {
  weighed = null;
  problem = "";
  redraw();
  if (!chosen.length) return;
  const now = chosen,
    cards = now.map((place) => myHand()[place]);
  const told = await send("POST", `api/seats/${own.id}`, {
    number: own.ask.number,
    answer: cards.join(" "),
    weigh: true,
  });
  if (now !== chosen) return;
  weighed = told.error ? { legal: false, why: told.error } : told;
  redraw();
}
// A proposed stack: the places of its cards in the rest of the hand.
function propose(cards) {
  const used = stacks.flatMap((stack) => stack.places),
    found = [];
  for (const code of cards) {
    const place = myHand().findIndex((one, at) => one === code && !used.includes(at) && !found.includes(at));
    if (place < 0) return null;
    found.push(place);
  }
  return found;
}
const put = (places) => {
  stacks = [...stacks, { places, cards: places.map((place) => myHand()[place]) }];
  chosen = [];
  weighed = null;
  redraw();
};

const again = (words, seed) =>
  h("a", { href: "#/play", onclick: () => ([form, own] = [{ ...form, seed }, null]) }, words);

function asked() {
  const ask = own.ask;
  if (own.over && own.at >= own.frames.length - 1) {
    const places = own.frames.at(-1).outcome.places,
      firsts = places.filter((place) => place === 1).length,
      first = firsts > 1 ? "You share the first place" : "You have won";
    return h(
      "div.ask.over",
      h("h2", firsts === places.length ? "A draw" : places[own.seat] > 1 ? "You have lost" : first),
      h(
        "p",
        h("a.primary", { href: `#/match/own-${own.id}` }, "Watch it with all cards"),
        " ",
        again("Play again", ""),
        " ",
        again("The same deal again", own.seed),
      ),
    );
  }
  if (own.failed && own.at >= own.frames.length - 1)
    return h("div.ask.over", h("h2", "The match cannot go on"), h("p", own.failed, " ", again("Play again", "")));
  if (!ask || own.at < own.frames.length - 1) return h("div.ask", h("h2.quiet", "…"), h("div.choices"));
  return h(
    "div.ask",
    { "data-number": ask.number, "data-kind": ask.kind },
    h(
      "h2",
      (ask.view === undefined && HOW[ask.kind]) || ask.kind,
      ask.target && h("span.quiet", ` to make ${ask.target}`),
    ),
    ask.view && h("pre.view", ask.view),
    h("div.choices", choices(ask)),
    problem && h("p.note", { role: "alert" }, problem),
  );
}

function choices(ask) {
  const button = (text, act, props = {}) => h("button", { class: "choice", onclick: act, ...props }, text);
  switch (ask.view === undefined && ask.kind) {
    case "lead":
    case "answer":
    case "play":
      return null;
    case "give":
    case "reveal": {
      const fits = ask.actions.find((action) => same(action.cards, chosen));
      return button(ask.kind === "give" ? "Give these" : "Turn these up", () => answerWith(fits), { disabled: !fits });
    }
    case "lay": {
      const ideas = ask.some
        .map((cards) => [cards, propose(cards)])
        .filter(([, found]) => found)
        .slice(0, 8);
      return [
        h(
          "div.building",
          stacks.map((stack, number) =>
            h(
              "span.built",
              hand(stack.cards),
              button(
                "take back",
                () => {
                  stacks = stacks.filter((_, place) => place !== number);
                  redraw();
                },
                { class: "" },
              ),
            ),
          ),
        ),
        h(
          "p.why",
          chosen.length
            ? weighed
              ? weighed.legal
                ? "That is a stack."
                : weighed.why
              : "…"
            : stacks.length
              ? "More stacks, or lay these."
              : "Choose cards of your hand, or one of these:",
        ),
        button("Make it a stack", () => put(chosen), { disabled: !(weighed && weighed.legal) }),
        button(
          stacks.length ? `Lay ${count(stacks.length, "stack")}` : "Lay nothing",
          () => answer(stacks.map((stack) => stack.cards.join(" ")).join(", ") || "-"),
          { class: `choice${stacks.length || !ideas.length ? " primary" : ""}` },
        ),
        h(
          "div.ideas",
          ideas.map(([cards, found]) =>
            button(
              cards
                .map((code) => code.replace("C", "♣").replace("D", "♦").replace("H", "♥").replace("S", "♠"))
                .join(" "),
              () => put(found),
              { class: "choice idea" },
            ),
          ),
        ),
      ];
    }
    case false:
      return ask.actions.length > FEW
        ? narrowed(ask, button)
        : ask.actions.map((action) => button(action.say, () => answerWith(action)));
    default: {
      const begins = (action) => action.source ?? action.cell;
      const shown = ask.actions.filter((action) =>
        filter === null
          ? begins(action) === undefined || ask.kind === "attack" || ask.actions.length <= FEW
          : begins(action) === undefined || begins(action) === filter,
      );
      return shown.map((action) => button(action.say, () => answerWith(action)));
    }
  }
}

// If a game without a picture has many answers: narrow them by their values until few are left.
const partsOf = (value, name = "") =>
  value === null || typeof value !== "object"
    ? [isCard(value) ? value : `${name.replaceAll("_", " ")} ${value}`]
    : Object.entries(value).flatMap(([key, each]) => partsOf(each, Array.isArray(value) ? name : key));
function narrowed(ask, button) {
  const held = new Map(ask.actions.map((action) => [action, partsOf({ ...action, say: [] })]));
  const left = ask.actions.filter((action) => chosen.every((part) => held.get(action).includes(part)));
  left.sort((one, other) => held.get(one).length - held.get(other).length);
  const parts = [...new Set(ask.actions.flatMap((action) => held.get(action)))],
    cards = parts.filter(isCard),
    may = new Set(left.flatMap((action) => held.get(action)));
  const toggle = (part) => {
    chosen = chosen.includes(part) ? chosen.filter((one) => one !== part) : [...chosen, part];
    redraw();
  };
  return [
    cards.length > 0 &&
      hand(cards, {
        label: "Cards to choose",
        pick: toggle,
        may: (part) => may.has(part),
        chosen: cards.flatMap((part, place) => (chosen.includes(part) ? [place] : [])),
      }),
    parts
      .filter((part) => !isCard(part))
      .map((part) =>
        button(part, () => toggle(part), { disabled: !may.has(part), "aria-pressed": String(chosen.includes(part)) }),
      ),
    h("p.why", left.length > FEW ? `${left.length} answers are left. Choose what yours holds:` : ""),
    left.slice(0, FEW).map((action) => button(action.say, () => answerWith(action), { class: "choice primary" })),
  ];
}

async function loadRules(name) {
  rules[name] = "";
  const text = await (await fetch(`api/rules/${name}`)).text();
  rules[name] = text.replace(/^#+ |[*`]/gm, ""); // without the marks of Markdown
  redraw();
}

async function sitAgain(id) {
  own = { id, waiting: true };
  const state = await get(`api/seats/${id}`).catch((error) => ({ error: error.message }));
  own = null;
  if (state.error) {
    problem = state.error;
    go("play", {});
  } else take(state);
  redraw();
}

views.play = ([id], query) => {
  if (!about.play)
    return [h("h1", "Play"), quiet("Nobody can sit down here while a night is played. Later: pips-tourney serve")];
  if (query.has("wait")) wait = Number(query.get("wait"));
  if (query.has("against")) {
    form = { options: {}, against: query.get("against"), game: query.get("game") };
    history.replaceState(null, "", "#/play"); // from now on the form says against whom
  }
  if (!id) return offer();
  if (!own || (own.id !== id && !own.waiting)) sitAgain(id);
  if (own.waiting) return [h("h1", "Play"), quiet("…")];
  if (rules[own.game] === undefined) loadRules(own.game);
  const frames = own.frames.slice(Math.max(0, own.at - 3), own.at + 1).map((frame) => frame.say),
    names = own.names.map((name, place) => (place === own.seat ? "you" : name));
  if (own.at < 4) frames[0] = `At the table: ${names.join(", ")}`;
  return [
    h("h1", own.title, h("span.quiet", ` ${names.join(" – ")}`)),
    h(
      "div.play-area",
      h(
        "div.stage",
        h(
          "ol.log.recent",
          { "aria-live": "polite", "aria-label": "What happened" },
          frames.map((said, place) => h("li", { class: place === frames.length - 1 ? "current" : "" }, said)),
        ),
        asked(),
        draw(own.game, own.tables[own.at], { names, seat: own.seat, pick: picking() }),
      ),
      h("aside.rules", { "aria-label": "Rules", tabindex: "0" }, h("h2", "The rules"), h("pre", rules[own.game] || "")),
    ),
  ];
};
