// Two bots: their record, and every deal from both sides: the same cards, other seats.
import { count, h, percent, quiet, seatWord, signed, span, table } from "./dom.js";
import { PAGE, hasMatches, pager, unreadNotice } from "./matches.js";
import { botLink, difference, pairPath, tabs } from "./ratings.js";
import { about, go, views } from "./state.js";

const Z = 1.96;

// The points of one bot against another in a match, from 0 to 1.
const points = (mine, theirs) => (mine < theirs ? 1 : mine === theirs ? 0.5 : 0);

// A match as bot `a` saw it, with `b` at the same table.
function seen(row, a, b) {
  const mine = row.bots.indexOf(a),
    theirs = row.bots.indexOf(b);
  return {
    row,
    seat: mine,
    share: points(row.places[mine], row.places[theirs]),
    scores: [row.scores[mine], row.scores[theirs]],
    fault: row.faults.some(([seat]) => seat === mine || seat === theirs),
  };
}

// The deals that both played, oldest first. A deal is complete when each bot has held each seat's cards.
const pairDeals = (rows, a, b, contest) => {
  const deals = new Map();
  for (const row of rows) {
    if (row.contest !== contest || !row.counts || !row.bots.includes(a) || !row.bots.includes(b)) continue;
    const name = JSON.stringify([row.deal, [...row.bots].sort()]);
    const deal = deals.get(name) || { name: row.deal, seats: row.bots.length, matches: [] };
    deal.matches.push(seen(row, a, b));
    deals.set(name, deal);
  }
  return [...deals.values()].map((deal, place) => {
    const sum = (value) => deal.matches.reduce((whole, each) => whole + value(each), 0);
    const taken = sum((each) => each.share);
    return {
      ...deal,
      number: place + 1,
      whole: deal.matches.length === deal.seats,
      share: taken / deal.matches.length,
      taken,
      ahead: sum((each) => each.scores[0] - each.scores[1]),
      fault: deal.matches.some((each) => each.fault),
    };
  });
};

// The mean of shares from 0 to 1, and its 95 % interval. Two imagined wins and two losses are
// added to the interval (Agresti and Coull, The American Statistician 52, 1998), so that a few
// equal deals do not look certain.
const shareOf = (shares) => {
  if (!shares.length) return null;
  const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
  const more = [...shares, 0, 0, 1, 1],
    middle = mean(more);
  const wide = Z * Math.sqrt(mean(more.map((value) => (value - middle) ** 2)) / more.length);
  return { share: mean(shares), low: Math.max(0, middle - wide), high: Math.min(1, middle + wide) };
};

const better = (deal, a, b) => (deal.share > 0.5 ? a : deal.share < 0.5 ? b : "");
const half = (number) => (Number.isInteger(number) ? String(number) : `${number ? Math.floor(number) : ""}½`);

function record(a, b, deals, alone) {
  const found = shareOf(deals.map((deal) => deal.share));
  if (!found) return quiet("None of their deals is complete yet.");
  const how = [1, 0, -1].map((sign) => deals.filter((deal) => Math.sign(deal.share - 0.5) === sign).length);
  const part = (name, kind, number) =>
    number > 0 && h("span", { class: kind, vars: { part: number }, title: `${name}: ${number}` }, number);
  return h(
    "div.record",
    h(
      "p.big",
      h("b", percent(found.share)),
      ` of the points for ${a}, `,
      h("span.quiet.sure", `95 % ${percent(found.low)} to ${percent(found.high)}`),
    ),
    h(
      "p.split",
      { "aria-hidden": "true" },
      part(`${a} played better`, "up", how[0]),
      part("level", "level", how[1]),
      part(`${b} played better`, "down", how[2]),
    ),
    h(
      "p",
      `${count(deals.length, alone ? "match" : "complete deal", alone ? "matches" : "complete deals")}: `,
      `${a} played ${how[0]} better, ${b} ${how[2]}, and ${how[1]} ended level. `,
      how[1] > 0 && !alone && "Level means that what one took with a seat's cards, the other took with the same.",
    ),
  );
}

const shown = (id) => about.mode !== "report" || about.replays[id];

function side(deal, seat) {
  const match = deal.matches.find((each) => each.seat === seat);
  if (!match) return h("span.quiet", deal.whole ? "" : "not played yet");
  const { row, share, scores, fault } = match;
  const text = `${scores[0]} : ${scores[1]}`;
  return [
    h("span", { class: `mark-${share > 0.5 ? "up" : share < 0.5 ? "down" : "level"}`, "aria-hidden": "true" }),
    h("span.unseen", share > 0.5 ? "above, " : share < 0.5 ? "below, " : "level, "),
    shown(row.id) ? h("a", { href: `#/match/${row.id}`, title: `Replay of ${row.id.slice(0, 8)}` }, text) : text,
    fault && h("span.quiet", " fault"),
  ];
}

function dealColumns(a, b, seats) {
  return [
    { name: "Deal", value: (deal) => deal.number, kind: "number" },
    {
      name: "Played better",
      value: (deal) => (deal.whole ? deal.share : null),
      cell: (deal) => (deal.whole ? better(deal, a, b) || "level" : ""),
    },
    ...Array.from({ length: seats }, (_, seat) => ({
      name: `${a}, ${seatWord(seat)} seat`,
      value: (deal) => (deal.matches.find((each) => each.seat === seat) || { share: -1 }).share,
      cell: (deal) => side(deal, seat),
      kind: "from-seat",
    })),
    {
      name: "Points",
      value: (deal) => deal.taken,
      cell: (deal) => (deal.whole ? `${half(deal.taken)} : ${half(deal.matches.length - deal.taken)}` : ""),
      kind: "number",
    },
    {
      name: "Scores",
      value: (deal) => Math.abs(deal.ahead),
      cell: (deal) => (deal.whole ? signed(deal.ahead) : ""),
      kind: "number",
    },
  ];
}

// Whether each deal was played in one rotation only: then no two matches had the same cards.
const isAlone = (deals) => deals.length > 0 && deals.every((deal) => deal.matches.length === 1);

function dealList(a, b, deals, query, ask) {
  const first = Number(query.get("first") || 0);
  return [
    table(`pair-${a}-${b}`, `Deals of ${a} and ${b}`, dealColumns(a, b, deals[0].seats), deals, {
      first,
      most: PAGE,
      className: "deals",
    }),
    deals.length > PAGE && pager(first, deals.length, ["deal", "deals"], (to) => ask({ first: to })),
  ];
}

const eloBetween = (a, b, one) => {
  const far = difference(one, a, b);
  if (!far || far.elo === null) return null;
  const between = span(far),
    sure = between ? `, 95 % ${between}` : ", and nobody knows yet how sure that is";
  return h("p", `In the standings of ${one.label}, ${a} is at Elo ${signed(far.elo)} against ${b}${sure}.`);
};

views.pair = ([a, b, label], query) => {
  const unread = unreadNotice(`${a} and ${b}`);
  if (unread) return unread;
  const met = about.night.tables.filter((one) => one.against && one.against[a] && one.against[a][b]);
  const title = h("h1", botLink(a), " and ", botLink(b));
  if (a === b || !met.length) return [title, h("p", "They have not met in this night.")];
  const one = met.find((each) => each.label === label) || met[0];
  const deals = pairDeals(hasMatches(), a, b, one.label),
    alone = isAlone(deals);
  const told = alone ? deals : deals.filter((deal) => deal.whole);
  const ask = (change) => go(pairPath(a, b, one.label), change);
  const waiting = deals.length - told.length;
  return [
    title,
    quiet(
      alone
        ? "Every deal was played from one side only, so no two matches had the same cards."
        : "The same cards, the other seat: a row is one deal, played until each had held every seat's cards. Scores name the first bot first.",
    ),
    tabs(pairPath(a, b), one, met),
    record(a, b, told, alone),
    eloBetween(a, b, one),
    waiting > 0 && quiet(`${count(waiting, "deal")} not played from every seat yet.`),
    deals.some((deal) => deal.fault) && quiet("A match with a fault counts here by its places."),
    deals.length > 0 && dealList(a, b, deals, query, ask),
    h("p", h("a", { href: `#/${pairPath(b, a, one.label)}` }, `The same as ${b} sees it`)),
  ];
};
