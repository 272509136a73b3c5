// The current view: the address after # names it, events bring news of the night.
"use strict";
(() => {
  const { h } = Pips;
  Pips.about = JSON.parse(document.getElementById("about").textContent);
  const main = document.getElementById("main"),
    top = document.getElementById("top");
  const reports = Pips.about.mode === "report";
  let lost = false,
    drawnFor = "";

  Pips.get = async (address) => {
    const answer = await fetch(address).catch(() => {
      throw new Error("the server cannot be reached");
    });
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.error || answer.statusText);
    return told;
  };
  // The answer; a refusal has an `error`.
  Pips.send = async (method, address, body) => {
    try {
      return await (
        await fetch(address, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
      ).json();
    } catch {
      return { error: "the server cannot be reached" };
    }
  };

  // The moment of a replay. The address follows later: browsers limit its changes.
  let moment = null,
    begun = "",
    writing = 0;
  Pips.settle = () => {
    clearTimeout(writing);
    if (moment !== null && location.hash === begun) history.replaceState(null, "", moment);
    moment = null;
    writing = 0;
  };
  const pass = (hash) => {
    if (moment === null) {
      begun = location.hash;
      writing = setTimeout(Pips.settle, 100);
    }
    moment = hash;
  };

  Pips.route = () => {
    const [path, query] = (moment !== null && location.hash === begun ? moment : location.hash)
      .replace(/^#\/?/, "")
      .split("?");
    return { path: path.split("/").filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query || "") };
  };
  // Go to another view. `quietly`: to another moment of this view, without a step in the browser's history.
  Pips.go = (path, query, quietly = false) => {
    const asked = new URLSearchParams(
      Object.entries(query || {}).filter(([, value]) => value !== "" && value !== 0),
    ).toString();
    const hash = `#/${path}${asked ? `?${asked}` : ""}`;
    if (quietly) {
      pass(hash);
      Pips.redraw();
    } else if (location.hash.split("?")[0] === hash.split("?")[0]) {
      history.replaceState(null, "", hash);
      Pips.redraw();
    } else location.hash = hash;
  };
  Pips.width = () => Math.max(280, main.clientWidth - 2 * parseFloat(getComputedStyle(main).paddingLeft));

  const pages = () => {
    const { night, progress, workshop, lobby, season, play } = Pips.about;
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
    const around = Pips.about.home;
    const own = pages().map(([, page, name]) => [`#/${page}`, name]);
    return (around ? [...own.filter(([page]) => page === "#/lobby"), ...around] : own).map(([address, name]) => {
      const { pathname, hash } = new URL(address, location.href);
      const here = pathname === location.pathname && hash === `#/${current}`;
      return h("a", { href: address, "aria-current": here ? "page" : null }, name);
    });
  }

  function heading(current) {
    const { night, progress } = Pips.about;
    const { played, scheduled } = progress || night || {};
    return h(
      "div.bar-top",
      h(
        "a.brand",
        { href: Pips.about.home ? Pips.about.home[0][0] : "#/" },
        h("span.pips", { "aria-hidden": "true" }),
        night?.league || Pips.about.workshop?.league || "Pips",
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
    const left = left_s ? `, ${Pips.left(left_s)} left` : "";
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
  Pips.views.lobby = () => {
    const lobby = Pips.about.lobby,
      here = lobby.guests.filter((guest) => guest.here).length;
    const check = (guest) =>
      guest.check === null ? "not checked yet" : guest.check ? `✗ ${guest.check}` : "✓ its check passed";
    return [
      h("h1", lobby.begun ? "Who is here" : "Lobby"),
      h(
        "p.big",
        `${here} of ${lobby.guests.length} are here.`,
        lobby.begun ? "" : " The night begins when the organiser says so.",
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

  Pips.views.unknown = () => [
    h("h1", "There is no such page"),
    h("p", "The address ", h("code", location.hash), " leads nowhere. ", h("a", { href: "#/" }, "To the first page")),
  ];

  // Draw the top, and the view if `concern` names it.
  Pips.redraw = (concern) => {
    const { path, query } = Pips.route();
    const known = [...pages().map(([, page]) => page), ...(reports ? [] : ["tables"])],
      first =
        path[0] === "match" || (["pair", "bots"].includes(path[0]) && Pips.about.night)
          ? path[0]
          : known.includes(path[0])
            ? path[0]
            : path.length
              ? "unknown"
              : Pips.about.lobby && Pips.about.lobby.begun
                ? "standings"
                : known[0];
    if (path[0] !== "match") Pips.stopReplay();
    if (first !== "tables" && first !== "screen") Pips.stopTables();
    if (first !== "screen") Pips.stopScreen();
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
    Pips.show(top, heading({ pair: "cross", bots: "standings", match: "matches" }[first] || first));
    const now = top.querySelector("[aria-current]");
    if (now && now !== page) {
      // After scrollIntoView, some browsers continue from that place when Tab is pressed.
      const [bar, link] = [now.parentElement, now].map((part) => part.getBoundingClientRect());
      now.parentElement.scrollLeft += Math.min(0, link.left - bar.left) + Math.max(0, link.right - bar.right);
    }
    if (stays) return;
    Pips.keys = {};
    const args = path[0] === first ? path.slice(1) : [];
    Pips.show(main, (Pips.views[first] || (() => [h("h1", "Pips"), h("p", "There is nothing to show.")]))(args, query));
    const named = main.querySelector("h1");
    const title = [
      ...new Set([named && named.textContent, Pips.about.night && Pips.about.night.league].filter(Boolean)),
    ].join(" · ");
    if (document.title !== title) document.title = title;
  };

  document.addEventListener("keydown", (event) => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      (event.target.closest("input, select, textarea, button, [role=button], .scroll, pre") &&
        !(event.target.type === "range" && event.key === "f"))
    )
      return;
    const act = (Pips.keys || {})[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });
  window.addEventListener("hashchange", () => Pips.redraw());
  let wide = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth !== wide) {
      wide = window.innerWidth;
      Pips.redraw();
    }
  });
  window.addEventListener("beforeprint", () => {
    if (reports && drawnFor.startsWith("all")) Pips.redraw();
  });

  function listen() {
    const source = new EventSource("events");
    const on = (name, take, concern) =>
      source.addEventListener(name, (event) => {
        take(JSON.parse(event.data));
        Pips.redraw(concern);
      });
    on(
      "night",
      (data) => {
        const another = data.upto < Pips.about.night.upto; // a place has begun its next night
        Pips.about.night = data;
        if (another) Pips.loadMatches(true);
      },
      ["standings", "cross", "bots", "pair", "matches", "screen"],
    );
    on("progress", (data) => (Pips.about.progress = data), ["screen"]);
    on("matches", (data) => Pips.addMatches(data), ["matches", "pair"]);
    on("lobby", (data) => {
      Pips.about.lobby = data;
    });
    on("all", () => Pips.loadMatches(true));
    source.onopen = () => {
      if (lost && Pips.hasMatches()) Pips.loadMatches();
      lost = false;
      Pips.redraw([]);
    };
    source.onerror = () => {
      lost = true;
      Pips.redraw([]);
    };
  }

  document.body.prepend(Pips.shapes());
  Pips.redraw();
  if (!reports && Pips.about.night) listen();
})();
