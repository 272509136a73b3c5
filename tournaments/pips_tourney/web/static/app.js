// The current view: the address after # names it, events bring news of the night.
import { shapes } from "./cards.js";
import { h, show, timeLeft } from "./dom.js";
import { addMatches, hasMatches, loadMatches } from "./matches.js";
import { stopReplay } from "./replay.js";
import { stopScreen } from "./screen.js";
import { about, hooks, redraw, route, views } from "./state.js";
import { stopTables } from "./tables.js";
import "./night.js";
import "./pair.js";
import "./play.js";
import "./season.js";

const main = document.getElementById("main"),
  top = document.getElementById("top");
const reports = about.mode === "report";
let lost = false,
  drawnFor = "";

const pages = () => {
  const { night, progress, workshop, lobby, season, play } = about;
  const live = night && !reports;
  return [
    [reports, "all", "Everything"],
    [workshop, "workshop", "Workshop"],
    [lobby, "lobby", "Lobby"],
    [night, "standings", "Standings"],
    [night, "cross", "Cross-table"],
    [night, "matches", "Matches"],
    [night && season, "season", "Season"],
    [live && progress && progress.state !== "complete", "tables", "Tables"],
    [live, "screen", "Big screen"],
    [play, "play", "Play"],
  ].filter(([there]) => there);
};
// The links of the menu, with those of the place around these pages, if there is one.
function menu(current) {
  const around = about.home;
  const own = pages().map(([, page, name]) => [`#/${page}`, name]);
  return (around ? [...own.filter(([page]) => page === "#/lobby"), ...around] : own).map(([address, name]) => {
    const { pathname, hash } = new URL(address, location.href);
    const here = pathname === location.pathname && hash === `#/${current}`;
    return h("a", { href: address, "aria-current": here ? "page" : null }, name);
  });
}

function heading(current) {
  const { night, progress } = about;
  const { played, scheduled } = progress || night || {};
  return h(
    "div.bar-top",
    h(
      "a.brand",
      { href: about.home ? about.home[0][0] : "#/" },
      h("span.pips", { "aria-hidden": "true" }),
      night?.league || about.workshop?.league || "Pips",
    ),
    h("nav", { "aria-label": "Pages" }, menu(current)),
    night &&
      h(
        "div.progress",
        h("progress", { max: Math.max(1, scheduled), value: played, "aria-label": "Of the schedule played" }),
        h("span.far", told(night, progress)),
        lost && h("span.lost", "not connected"),
        !reports &&
          night.made &&
          h("span.made", { title: "When the standings were worked out" }, `as of ${clock(night.made)}`),
      ),
    standstill(progress),
  );
}
function told(night, progress) {
  const { played, scheduled, state, left_s } = progress || { ...night, state: night.over ? "complete" : "" };
  const left = left_s ? `, ${timeLeft(left_s)} left` : "";
  const doing = { complete: ", over", paused: ", paused", stopped: ", stopped" }[state] ?? left;
  return `${played.toLocaleString("en")} of ${scheduled.toLocaleString("en")}${doing}`;
}
// Why the night is paused, while it is.
const standstill = (progress) =>
  progress?.state === "paused" &&
  h(
    "p.paused",
    { role: "status" },
    h("b", "Paused"),
    progress.paused ? `: ${progress.paused}` : "",
    ". Matches that are under way are played to their end.",
  );
const clock = (at) => new Date(at * 1000).toLocaleTimeString("en-GB");

// The bots that have dialled in to a hosted night, shown before it begins.
views.lobby = () => {
  const lobby = about.lobby,
    here = lobby.guests.filter((guest) => guest.here).length;
  const check = (guest) =>
    guest.check === null ? "not checked yet" : guest.check ? `✗ ${guest.check}` : "✓ its check passed";
  return [
    h("h1", lobby.begun ? "Who is here" : "Lobby"),
    h(
      "p.big",
      `${here} of ${lobby.guests.length} are here.`,
      !lobby.begun &&
        ` The night begins when ${lobby.when_all_here ? "all are here and checked" : "the organiser says so"}.`,
    ),
    h(
      "ul.lobby",
      lobby.guests.map((guest) =>
        h(
          "li",
          { class: guest.here ? "here" : "away" },
          h("b", guest.player),
          h("span", guest.here ? check(guest) : "not here"),
          guest.here && guest.rtt_ms > 0 && h("small", `${guest.rtt_ms} ms away`),
        ),
      ),
    ),
  ];
};

views.unknown = () => [
  h("h1", "There is no such page"),
  h("p", "The address ", h("code", location.hash), " leads nowhere. ", h("a", { href: "#/" }, "To the first page")),
];

hooks.draw = (concern) => {
  const { path, query } = route();
  const known = [...pages().map(([, page]) => page), ...(reports ? [] : ["tables"])],
    first =
      path[0] === "match" || (["pair", "bots"].includes(path[0]) && about.night)
        ? path[0]
        : known.includes(path[0])
          ? path[0]
          : path.length
            ? "unknown"
            : about.lobby && about.lobby.begun
              ? "standings"
              : known[0];
  if (path[0] !== "match") stopReplay();
  if (first !== "tables" && first !== "screen") stopTables();
  if (first !== "screen") stopScreen();
  const one = { match: 2, play: 2, bots: 2, season: 2, pair: 3 }[first] || 1;
  const shown = `${first}/${path.slice(1, one).join("/")}`,
    stays = Array.isArray(concern) && shown === drawnFor && !concern.includes(first);
  if (shown !== drawnFor) {
    main.replaceChildren();
    main.className = `view-${first}`;
    if (drawnFor) {
      main.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    drawnFor = shown;
  }
  const page = top.querySelector("[aria-current]");
  show(top, heading({ pair: "cross", bots: "standings", match: "matches" }[first] || first));
  const now = top.querySelector("[aria-current]");
  if (now && now !== page) {
    // After scrollIntoView, some browsers continue from that place when Tab is pressed.
    const [bar, link] = [now.parentElement, now].map((part) => part.getBoundingClientRect());
    now.parentElement.scrollLeft += Math.min(0, link.left - bar.left) + Math.max(0, link.right - bar.right);
  }
  if (stays) return;
  hooks.keys = {};
  const args = path[0] === first ? path.slice(1) : [];
  show(main, (views[first] || (() => [h("h1", "Pips"), h("p", "There is nothing to show.")]))(args, query));
  const named = main.querySelector("h1");
  const title = [...new Set([named && named.textContent, about.night && about.night.league].filter(Boolean))].join(
    " · ",
  );
  if (document.title !== title) document.title = title;
};

document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLInputElement} */ (event.target);
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    (target.closest("input, select, textarea, button, [role=button], .scroll, pre") &&
      !(target.type === "range" && event.key === "f"))
  )
    return;
  const act = hooks.keys[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});
window.addEventListener("hashchange", () => redraw());
let wide = window.innerWidth;
window.addEventListener("resize", () => {
  if (window.innerWidth !== wide) {
    wide = window.innerWidth;
    redraw();
  }
});
window.addEventListener("beforeprint", () => {
  if (reports && drawnFor.startsWith("all")) redraw();
});

function listen() {
  const source = new EventSource("events");
  const on = (name, take, concern) =>
    source.addEventListener(name, (event) => {
      take(JSON.parse(event.data));
      redraw(concern);
    });
  on(
    "night",
    (data) => {
      const another = data.upto < about.night.upto; // a place has begun its next night
      about.night = data;
      if (another) loadMatches(true);
    },
    ["standings", "cross", "bots", "pair", "matches", "screen"],
  );
  on("progress", (data) => (about.progress = data), ["screen"]);
  on("matches", (data) => addMatches(data), ["matches", "pair"]);
  on("lobby", (data) => {
    about.lobby = data;
  });
  on("all", () => loadMatches(true));
  source.onopen = () => {
    if (lost && hasMatches()) loadMatches();
    lost = false;
    redraw([]);
  };
  source.onerror = () => {
    lost = true;
    redraw([]);
  };
}

document.body.prepend(shapes());
redraw();
if (!reports && about.night) listen();
