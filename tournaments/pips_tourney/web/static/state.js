// What all modules share: the data, the address, requests, and what draws the page.
export const about = JSON.parse(document.getElementById("about").textContent);
// The pages by the first part of their address. Each returns what the page shows.
export const views = {};
// What a module sets for others: `draw` draws the page, `keys` are those of the current view, `local` answers requests
// without a server.
export const hooks = { draw: null, keys: {}, local: null };
// Draw the top, and the view if `concern` names it.
export const redraw = (concern) => hooks.draw(concern);

export const get = async (address) => {
  const answer = await fetch(address).catch(() => {
    throw new Error("the server cannot be reached");
  });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.error || answer.statusText);
  return told;
};
// The answer; a refusal has an `error`.
export const send = async (method, address, body) => {
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
const settle = () => {
  clearTimeout(writing);
  if (moment !== null && location.hash === begun) history.replaceState(null, "", moment);
  moment = null;
  writing = 0;
};
const pass = (hash) => {
  if (moment === null) {
    begun = location.hash;
    writing = setTimeout(settle, 100);
  }
  moment = hash;
};

export const route = () => {
  const [path, query] = (moment !== null && location.hash === begun ? moment : location.hash)
    .replace(/^#\/?/, "")
    .split("?");
  return { path: path.split("/").filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query || "") };
};
// Go to another view. `quietly`: to another moment of this view, without a step in the browser's history.
export const go = (path, query, quietly = false) => {
  const asked = new URLSearchParams(
    Object.entries(query || {}).filter(([, value]) => value !== "" && value !== 0),
  ).toString();
  const hash = `#/${path}${asked ? `?${asked}` : ""}`;
  if (quietly) {
    pass(hash);
    redraw();
  } else if (location.hash.split("?")[0] === hash.split("?")[0]) {
    history.replaceState(null, "", hash);
    redraw();
  } else location.hash = hash;
};
const main = document.getElementById("main");
export const width = () => Math.max(280, main.clientWidth - 2 * parseFloat(getComputedStyle(main).paddingLeft));
