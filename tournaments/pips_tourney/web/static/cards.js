// Draws cards and dice: faces, suits, ranks.
import { h, picture, svg } from "./dom.js";

const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const RANKS = { A: "ace", J: "jack", Q: "queen", K: "king" };
const SHAPES = {
  H: "M16 29C6 21 2 16 2 10.5A7 7 0 0 1 16 8a7 7 0 0 1 14 2.500C30 16 26 21 16 29Z",
  D: "M16 2Q20 9.500 27 16Q20 22.500 16 30Q12 22.500 5 16Q12 9.500 16 2Z",
  S: "M16 2C21.500 10 29.500 14 29.500 20.500A6 6 0 0 1 18 23.500Q18.500 27.500 21.500 30H10.500Q13.500 27.500 14 23.500A6 6 0 0 1 2.500 20.500C2.500 14 10.500 10 16 2Z",
  C: "M16 2a6.600 6.600 0 0 1 5.200 10.700A6.600 6.600 0 1 1 17.800 22.500Q18.500 27.500 21.500 30H10.500Q13.500 27.500 14.200 22.500A6.600 6.600 0 1 1 10.800 12.700A6.600 6.600 0 0 1 16 2Z",
};

// The shapes of the suits, defined once a page.
export const shapes = () =>
  svg(
    "svg.shapes",
    { "aria-hidden": "true", width: 0, height: 0 },
    Object.entries(SHAPES).map(([suit, d]) =>
      svg("symbol", { id: `suit-${suit}`, viewBox: "0 0 32 32" }, svg("path", { d })),
    ),
  );

const CARD = /^(10|[A2-9JQK])[CDHS]$/;
export const isCard = (code) => CARD.test(code);

export const cardName = (code) => {
  if (!code) return "a card face down";
  const rank = code.slice(0, -1);
  return `${RANKS[rank] || rank} of ${SUITS[code.slice(-1)]}`;
};

const suitMark = (suit, x, y, size) => svg("use", { href: `#suit-${suit}`, x, y, width: size, height: size });
export const isRed = (suit) => suit === "D" || suit === "H";

// One card; its back if `code` is null.
export const card = (code) => picture(`card ${code}`, () => drawn(code));
const drawn = (code) => {
  if (!code) {
    return svg(
      "svg",
      { class: "card back", viewBox: "0 0 60 84", role: "img", "aria-label": cardName(code) },
      svg("rect.face", { x: 0.5, y: 0.5, width: 59, height: 83, rx: 6 }),
      svg("rect.weave", { x: 5, y: 5, width: 50, height: 74, rx: 3.5 }),
      svg("path.thread", {
        d: "M5 24L24 5M5 43L43 5M5 62L55 12M9 77L55 31M28 79L55 52M46 79L55 70M36 5L55 24M17 5L55 43M5 12L55 62M5 31L51 77M5 50L34 79M5 68L16 79",
      }),
    );
  }
  const suit = code.slice(-1),
    rank = code.slice(0, -1);
  return svg(
    "svg",
    { class: `card ${isRed(suit) ? "red" : "black"}`, viewBox: "0 0 60 84", role: "img", "aria-label": cardName(code) },
    svg("rect.face", { x: 0.5, y: 0.5, width: 59, height: 83, rx: 6 }),
    svg(
      "text.rank",
      {
        x: rank === "10" ? 4 : 6,
        y: 31,
        textLength: rank === "10" ? 33 : null,
        lengthAdjust: rank === "10" ? "spacingAndGlyphs" : null,
      },
      rank,
    ),
    suitMark(suit, 7, 36, 15),
    suitMark(suit, 23, 45, 32),
  );
};

// Cards side by side. With `pick(code, place)`, those that `may(code)` allows are buttons. `chosen`: chosen places.
export const hand = (cards, { label = "", pick = null, may = null, chosen = [] } = {}) =>
  h(
    "div.hand",
    { role: "group", "aria-label": label },
    cards.map((code, place) => {
      const shown = card(code);
      if (!pick) return h("span.slot", shown);
      const allowed = !may || may(code, place),
        taken = chosen.includes(place);
      return h(
        "button",
        {
          class: `slot pick${taken ? " chosen" : ""}`,
          disabled: !allowed,
          "aria-pressed": String(taken),
          "data-card": code,
          onclick: () => pick(code, place),
        },
        shown,
      );
    }),
  );

// By number on a die, its spots on a field of three by three, from 0 to 8.
const SPOTS = ["", "4", "08", "048", "0268", "02468", "035268"];
export const die = (number) =>
  picture(`die ${number}`, () =>
    svg(
      "svg",
      { class: "die", viewBox: "0 0 40 40", role: "img", "aria-label": `a die showing ${number}` },
      svg("rect.face", { x: 1, y: 1, width: 38, height: 38, rx: 8 }),
      Array.from(SPOTS[number], Number).map((at) =>
        svg("circle", { cx: 10 + 10 * Math.floor(at / 3), cy: 10 + 10 * (at % 3), r: 3.9 }),
      ),
    ),
  );
export const dice = (pair) => h("span.dice", pair.map(die));

export const suitPicture = (suit) =>
  picture(`suit ${suit}`, () =>
    svg(
      "svg",
      { class: `suit ${isRed(suit) ? "red" : "black"}`, viewBox: "0 0 32 32", role: "img", "aria-label": SUITS[suit] },
      suitMark(suit, 0, 0, 32),
    ),
  );
