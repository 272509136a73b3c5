// What becomes of a version that waits. What is typed meanwhile stays.
"use strict";

const PAUSE_MS = 2000;

// The card as the page has it now.
async function renew(card) {
  const page = await (await fetch(`${document.body.dataset.base}/mine`)).text();
  card.replaceWith(new DOMParser().parseFromString(page, "text/html").getElementById("card"));
}
// The newest version is asked for until it is checked; then the card has more to say.
async function wait() {
  const card = document.querySelector("[data-waits]");
  if (!card) return;
  try {
    const { versions } = await (await fetch(`${document.body.dataset.base}/api/v1/versions`)).json();
    const newest = versions.at(-1);
    if (newest.state !== "waiting" && newest.state !== "checking") await renew(card);
    else {
      card.querySelector("h2").textContent = `${newest.bot}: ${newest.state}`;
      card.querySelector("[role=status]").textContent =
        newest.state === "waiting" ? `${newest.before} are checked before it.` : newest.said;
    }
  } catch {
    // the place is away for a moment
  }
  setTimeout(wait, PAUSE_MS);
}
setTimeout(wait, PAUSE_MS);
