// Draws the four games' tables. `scene`: {names, seat, pick}, with `pick` when a person
// plays.
import { card, cardName, dice, die, hand, isCard, isRed, suitPicture } from "./cards.js";
import { count, h, svg } from "./dom.js";

const SEATS = ["#0b6b53", "#a8402a", "#2a5ea8", "#74429a", "#7d5a00", "#0d677c", "#9c2b64", "#4b5553"];
const seatName = (scene, seat) =>
  h(
    "span.who",
    { vars: { s: SEATS[seat % 8] } },
    h("b.letter", { "aria-hidden": "true" }, "ABCDEFGHIJKL"[seat]),
    scene.names[seat],
  );

const chip = (name, value, extra = "") => h("span", { class: `chip ${extra}` }, h("span", name), h("b", value));

export const draw = (game, table, scene) =>
  h("div", { class: `board ${game}`, "data-key": game }, (table.plain ? plain : DRAW[game])(table, scene));

// The table of a game without a picture: the last values of its events, for the table and each seat.
const value = (part, name) => {
  if (name === "die" && part >= 1 && part <= 6) return die(part);
  if (part === true || part === false) return part ? "yes" : "no";
  if (!Array.isArray(part)) return isCard(part) ? card(part) : String(part ?? "–");
  return isHand(part) ? hand(part, {}) : part.flat().join(" ") || "–";
};
const isHand = (part) => Array.isArray(part) && part.length > 0 && part.every((each) => each === null || isCard(each));
const chips = (facts) =>
  Object.entries(facts).map(([name, part]) =>
    chip(name.replaceAll("_", " "), value(part, name), isHand(part) ? "cards" : ""),
  );
const plain = (table, scene) => [
  Object.keys(table.facts).length > 0 && h("div.facts", chips(table.facts)),
  h(
    "div.panels",
    inOrder(scene, table.seats.length).map((seat) => panel(scene, seat, "", null, chips(table.seats[seat]))),
  ),
];

// A hand that a person may pick from. The scene says which cards may be picked and which are chosen.
function own(cards, scene, seat, group, label) {
  const picking = scene.pick && seat === scene.seat && scene.pick.hand;
  return hand(cards, {
    label,
    pick: picking ? (code, place) => scene.pick.hand(code, group, place) : null,
    may: picking ? (code, place) => scene.pick.may(code, group, place) : null,
    chosen: picking ? scene.pick.chosen(group) : [],
  });
}

// The seats in the order of their panels: a person's own seat comes first, and is the widest.
const inOrder = (scene, count) => {
  const seats = [...Array(count).keys()];
  return [...new Set([scene.seat ?? 0, ...seats])];
};
const panel = (scene, seat, extra, about, ...cards) =>
  h(
    "section",
    { class: `panel${seat === scene.seat ? " own" : ""}${extra}`, "aria-label": scene.names[seat] },
    h("div.about", seatName(scene, seat), about),
    h("div.lying", cards),
  );

const DRAW = {
  serpent(table, scene) {
    const director = table.director,
      down = scene.seat ?? director,
      up = 1 - down;
    const cellOf = (seat, column) => (seat === director ? 0 : 6) + column;
    const row = (seat) =>
      h(
        "div.row",
        { role: "group", "aria-label": `${scene.names[seat]}'s row` },
        [0, 1, 2, 3, 4, 5].map((column) => {
          const code = table.rows[seat][column],
            last = table.last && table.last[0] === seat && table.last[1] === column;
          const cell = cellOf(seat, column);
          const paired = table.pairs.some((pair) => pair.includes(cell)),
            run = table.runs.some((cells) => cells.includes(cell));
          return h(
            "div",
            { class: `cell${paired ? " paired" : ""}${run ? " run" : ""}${last ? " last" : ""}` },
            code ? card(code) : h("span.empty", { role: "img", "aria-label": "an empty place" }),
          );
        }),
      );
    const board = (cell) => table.rows[cell < 6 ? director : 1 - director][cell % 6];
    const held = (seat) =>
      h(
        "div.held",
        h(
          "div.about",
          seatName(scene, seat),
          h("span.role", seat === director ? "directs" : "defends"),
          chip("points", table.totals[seat]),
        ),
        h(
          "div.hands",
          own(table.hidden[seat], scene, seat, "hidden", `${scene.names[seat]}, hidden`),
          table.open[seat].length > 0 &&
            h(
              "div.faceup",
              h("small", "face up"),
              own(table.open[seat], scene, seat, "open", `${scene.names[seat]}, face up`),
            ),
        ),
      );
    const groups = [
      ...table.pairs.map((cells) => [2, "pair", cells]),
      ...table.runs.map((cells) => [cells.length, "run", cells]),
    ];
    return [
      h(
        "div.facts",
        chip("hand", table.hand),
        chip("on the board for", scene.names[director]),
        chip("worth", table.worth, "accent"),
      ),
      held(up),
      h(
        "div.rows",
        row(up),
        h(
          "div.arrows",
          { "aria-hidden": "true" },
          [0, 1, 2, 3, 4, 5].map((column) => h("span", (column % 2 === 0) === (director === up) ? "↓" : "↑")),
        ),
        row(down),
      ),
      held(down),
      h(
        "ul.groups",
        { "aria-label": "what scores" },
        groups.map(([points, name, cells]) =>
          h(
            "li",
            h("b", points),
            ` ${name} `,
            cells.map((cell) => miniature(board(cell))),
          ),
        ),
      ),
    ];
  },

  wichita(table, scene) {
    const player = (seat) => {
      const turn = seat === table.player && table.dice,
        stacks = table.stacks[seat],
        fresh = seat === table.player ? table.fresh : 0;
      return panel(
        scene,
        seat,
        turn ? " turn" : "",
        [
          chip("points", table.points[seat]),
          chip("in hand", table.hands[seat].length),
          table.first[seat] && dice(table.first[seat]),
        ],
        own(table.hands[seat], scene, seat, "hand", `${scene.names[seat]}'s hand`),
        h(
          "div.stacks",
          stacks.map((stack, place) =>
            h(
              "div",
              { class: `stack${place >= stacks.length - fresh ? " fresh" : ""}` },
              stack.map((code) => card(code)),
            ),
          ),
        ),
      );
    };
    return [
      h(
        "div.facts.dicebox",
        table.dice
          ? [dice(table.dice), chip("to make", table.dice[0] + table.dice[1], "accent")]
          : chip("dice", "for the first turn"),
        chip("turn of", scene.names[table.player]),
        chip("stock", table.stock),
      ),
      h("div.panels", inOrder(scene, table.points.length).map(player)),
    ];
  },

  pippip(table, scene) {
    const call = table.call;
    const drawn = table.drawn.length ? table.drawn : table.trick;
    return [
      h(
        "div.facts",
        chip("hand", `${table.hand} of ${table.hands}`),
        chip("trumps", table.trumps ? suitPicture(table.trumps) : "–", "accent"),
        chip("then", table.next ? suitPicture(table.next) : "–"),
        chip("stock", table.stock),
        table.rest.length > 0 && chip("out of play", table.rest.map(miniature)),
      ),
      h(
        "div.felt",
        h(
          "div.trick",
          { role: "group", "aria-label": table.drawn.length ? "drawn for the deal" : "the trick" },
          drawn.map(([seat, code]) =>
            h("figure", { class: table.won === seat ? "won" : "" }, card(code), h("figcaption", seatName(scene, seat))),
          ),
        ),
        h(
          "p",
          { class: `call${call ? "" : " none"}` },
          call
            ? [
                `${scene.names[call[0]]}: Pip-Pip! `,
                call[1].map((suit) => [suitPicture(suit), " "]),
                `+${50 * call[1].length}`,
              ]
            : "",
        ),
      ),
      h(
        "div.panels",
        inOrder(scene, table.points.length).map((seat) =>
          panel(
            scene,
            seat,
            "",
            [
              seat === table.dealer && h("span.role", "dealt"),
              chip("points", table.points[seat]),
              chip("tricks", table.tricks[seat]),
            ],
            own(table.hidden[seat], scene, seat, "hidden", `${scene.names[seat]}, hidden`),
            table.open[seat].length > 0 &&
              h(
                "div.faceup",
                h("small", "called"),
                own(table.open[seat], scene, seat, "open", `${scene.names[seat]}, called`),
              ),
          ),
        ),
      ),
    ];
  },

  dominion(table, scene) {
    const size = table.size,
      battle = table.battle,
      pick = scene.pick && scene.pick.cell;
    const middle = (cell) => [100 * (cell % size) + 50, 100 * Math.floor(cell / size) + 50];
    const arrow = battle
      ? [battle.source, battle.target, "attack"]
      : table.move && table.move[0] !== null
        ? [table.move[0], table.move[1], "walk"]
        : null;
    const cell = (code, place) => {
      const [x, y] = middle(place),
        up = table.upright[place],
        owner = table.owners[place],
        suit = code.slice(-1);
      const [wide, high] = up ? [62, 92] : [92, 62],
        may = pick && scene.pick.mayCell(place),
        chosen = pick && scene.pick.chosenCell(place);
      const touched =
        (battle && (battle.source === place || battle.target === place)) ||
        (table.move && (table.move[0] === place || table.move[1] === place));
      const said = `cell ${place}, ${cardName(code)}, ${up ? "upright" : "across"}, ${owner === null ? "unoccupied" : `${scene.names[owner]}, ${count(table.armies[place], "army", "armies")}`}`;
      const act = may
        ? {
            tabindex: 0,
            role: "button",
            "aria-label": said,
            "data-cell": place,
            onclick: () => pick(place),
            onkeydown: (event) => {
              if (event.key === "Enter" || event.key === " ") {
                event.preventDefault();
                pick(place);
              }
            },
          }
        : { role: "img", "aria-label": said, "data-cell": place };
      return svg(
        "g",
        {
          vars: owner === null ? {} : { s: SEATS[owner % 8] },
          "data-owner": owner,
          class: `territory${owner === null ? " free" : ""}${touched ? " touched" : ""}${may ? " may" : ""}${chosen ? " chosen" : ""}`,
          ...act,
        },
        svg("rect.face", { x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: 7 }),
        svg(
          "g",
          { class: isRed(suit) ? "red" : "black" },
          svg(
            "text.rank",
            {
              x: x - wide / 2 + 7,
              y: y - high / 2 + 25,
              textLength: code.length > 2 ? 25 : null,
              lengthAdjust: code.length > 2 ? "spacingAndGlyphs" : null,
            },
            code.slice(0, -1),
          ),
          svg("use", {
            href: `#suit-${suit}`,
            x: up ? x - wide / 2 + 38 : x - wide / 2 + (code.length > 2 ? 40 : 30),
            y: y - high / 2 + 8,
            width: 18,
            height: 18,
          }),
        ),
        svg("text.number", { x: x + wide / 2 - 6, y: up ? y + high / 2 - 6 : y - high / 2 + 14 }, place),
        owner !== null &&
          svg(
            "g.armies",
            svg("rect", { x: x - 25, y: up ? y + 2 : y, width: 50, height: 26, rx: 13 }),
            svg("text", { x, y: (up ? y + 2 : y) + 19 }, `${"ABCDEFGH"[owner]} ${table.armies[place]}`),
          ),
      );
    };
    const standing = scene.names.map((name, seat) => {
      const cells = table.owners.filter((owner) => owner === seat).length;
      const armies = table.armies.reduce((sum, force, place) => sum + (table.owners[place] === seat ? force : 0), 0);
      return h(
        "li",
        { class: seat === table.turn ? "turn" : "" },
        seatName(scene, seat),
        table.resigned[seat] ? "resigned" : [chip("territories", cells), chip("armies", armies)],
      );
    });
    const [from, to] = arrow ? [middle(arrow[0]), middle(arrow[1])] : [null, null];
    return [
      h(
        "div.facts",
        chip("round", `${table.round} of ${table.rounds}`),
        chip("turn of", scene.names[table.turn]),
        h(
          "span",
          { class: `chip${table.turned ? " accent" : " none"}` },
          h("span", "turned"),
          table.turned ? miniature(table.turned) : h("b", "–"),
        ),
        chip("stock", table.stock),
      ),
      h(
        "div.field-and-battle",
        svg(
          "svg.playfield",
          { viewBox: `0 0 ${100 * size} ${100 * size}`, role: "group", "aria-label": "the playfield" },
          table.cells.map(cell),
          arrow &&
            svg("line", {
              class: `arrow ${arrow[2]}`,
              x1: from[0] + (to[0] - from[0]) * 0.25,
              y1: from[1] + (to[1] - from[1]) * 0.25,
              x2: to[0] - (to[0] - from[0]) * 0.3,
              y2: to[1] - (to[1] - from[1]) * 0.3,
            }),
          arrow && svg("path", { class: `head ${arrow[2]}`, d: head(from, to) }),
        ),
        h(
          "div.beside",
          h("ul.standing", standing),
          h(
            "div.battle",
            battle
              ? duel(battle, scene)
              : table.dice
                ? [h("p", `${scene.names[table.turn]} rolls to deploy`), dice(table.dice)]
                : null,
          ),
        ),
      ),
    ];
  },
};

function head(from, to) {
  const dx = Math.sign(to[0] - from[0]),
    dy = Math.sign(to[1] - from[1]);
  const x = to[0] - (to[0] - from[0]) * 0.22,
    y = to[1] - (to[1] - from[1]) * 0.22;
  return `M${x} ${y}L${x - 11 * dx - 8 * dy} ${y - 11 * dy - 8 * dx}L${x - 11 * dx + 8 * dy} ${y - 11 * dy + 8 * dx}Z`;
}

function duel(battle, scene) {
  const side = (seat, rolled, cell, lost, plus) =>
    h(
      "div.side",
      seatName(scene, seat),
      dice(rolled),
      h("p", `cell ${cell}${plus ? `, ${battle.advantage < 0 ? "−" : "+"}${Math.abs(battle.advantage)}` : ""}`),
      h("p", { class: lost ? "lost" : "quiet" }, lost ? `loses ${lost}` : "loses nothing"),
    );
  return [
    side(battle.attacker, battle.attacker_dice, battle.source, battle.attacker_losses, true),
    h("span.quiet", "attacks"),
    side(battle.defender, battle.defender_dice, battle.target, battle.defender_losses, false),
  ];
}

const miniature = (code) =>
  h(
    "span",
    { class: `mini ${isRed(code.slice(-1)) ? "red" : "black"}`, role: "img", "aria-label": cardName(code) },
    code.slice(0, -1),
    suitPicture(code.slice(-1)),
  );
