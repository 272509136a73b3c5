// Shows the progress of a waiting version. Text typed meanwhile stays.

const PAUSE_MS = 2000,
  IDLE_MS = 10000; // until its first matches are played

// The parts of the page that a check changes.
async function renew() {
  const page = await (await fetch(`${document.body.dataset.base}/mine`)).text();
  const next = new DOMParser().parseFromString(page, "text/html");
  document.getElementById("card").replaceWith(next.getElementById("card"));
  // The tab that is open stays so: its section is the address's target.
  for (const section of next.querySelectorAll("#scrimmage, #matches, #versions"))
    document.getElementById(section.id)?.replaceChildren(...section.childNodes);
}
// Polls the newest version until it is checked; then the page has more to show.
async function wait() {
  const card = document.querySelector("[data-waits]");
  if (!card) return;
  let pause = PAUSE_MS;
  try {
    const { versions, scrimmage } = await (await fetch(`${document.body.dataset.base}/api/v1/versions`)).json();
    const newest = versions.at(-1);
    if (newest.state !== "waiting" && newest.state !== "checking") {
      if (scrimmage) return setTimeout(wait, PAUSE_MS);
      pause = IDLE_MS;
      await renew();
    } else {
      card.querySelector("h2").textContent = `${newest.bot}: ${newest.state}`;
      card.querySelector("[role=status]").textContent =
        newest.state === "waiting" ? `Ahead of it: ${newest.before}.` : newest.said;
    }
  } catch {
    // the place is away for a moment
  }
  setTimeout(wait, pause);
}
setTimeout(wait, PAUSE_MS);
