// Shows where a bot on its author's machine is, without a reload.

const PAUSE_MS = 2000;

async function follow() {
  const status = document.querySelector("#guest [role=status]");
  try {
    const answer = await fetch(`${document.body.dataset.base}/api/v1/me`);
    if (answer.status === 401) {
      location.reload(); // the invite is void: the page says so
      return;
    }
    const { guest } = await answer.json();
    const before = [...status.children].map((line) => line.textContent);
    if (before.join("\n") !== guest.said.join("\n")) {
      const lines = guest.said.map((said) => Object.assign(document.createElement("p"), { textContent: said }));
      status.replaceChildren(...lines);
    }
  } catch {
    // the pages are away for a moment
  }
  setTimeout(follow, PAUSE_MS);
}
setTimeout(follow, PAUSE_MS);
