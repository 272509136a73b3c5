// What becomes of a version that waits.
"use strict";

const PAUSE_MS = 2000;

// Whether something is typed or chosen, which a fresh page would lose.
function hasWork() {
  return [...document.querySelectorAll("textarea, input:not([type=hidden])")].some(
    (field) => field.value !== field.defaultValue,
  );
}
// Say that the version is checked, and leave it to the reader when to see it.
function offer(status) {
  const link = document.createElement("a");
  link.href = `${document.body.dataset.base}/mine`;
  link.textContent = "Open the page again";
  status.replaceChildren("It is checked. ", link, " to see more; what you typed here is lost then.");
}

// The newest version is asked for until it is checked; then the page has more to say.
async function wait() {
  const article = document.querySelector("[data-waits] article");
  if (!article) return;
  try {
    const { versions } = await (await fetch(`${document.body.dataset.base}/api/v1/versions`)).json();
    const newest = versions.at(-1);
    if (newest.state !== "waiting" && newest.state !== "checking") {
      if (hasWork()) offer(article.querySelector("[role=status]"));
      else location.reload();
      return;
    }
    article.querySelector("h3").textContent = `${newest.bot}: ${newest.state}`;
    article.querySelector("[role=status]").textContent =
      newest.state === "waiting" ? `${newest.before} are checked before it.` : newest.said;
  } catch {
    // the place is away for a moment
  }
  setTimeout(wait, PAUSE_MS);
}
setTimeout(wait, PAUSE_MS);
