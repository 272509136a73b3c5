// Takes the code of an invite from the address, so that no server's log has it.
"use strict";

function enter() {
  const code = decodeURIComponent(location.hash.slice(1));
  if (!code) return;
  history.replaceState(null, "", location.pathname);
  document.getElementById("code").value = code;
  document.getElementById("enter").requestSubmit();
}
window.addEventListener("hashchange", enter);
enter();
