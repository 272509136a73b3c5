// Takes the code of an invite from the address, so that no server's log has it.
// Who is somebody here already presses the button: a link alone makes nobody another.
"use strict";

function enter() {
  const code = decodeURIComponent(location.hash.slice(1));
  if (!code || code.startsWith("/")) return; // that is a page of the night, which nobody sees without an invite
  history.replaceState(null, "", location.pathname);
  document.getElementById("code").value = code;
  const form = document.getElementById("enter");
  if (!("known" in form.dataset)) form.requestSubmit();
}
window.addEventListener("hashchange", enter);
enter();
