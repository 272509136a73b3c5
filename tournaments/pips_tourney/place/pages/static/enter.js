// Takes the code of an invite from the address, so that no server's log has it.
// A visitor who is signed in must press the button: a link alone does not change the person.

function enter() {
  const code = decodeURIComponent(location.hash.slice(1));
  if (!code || code.startsWith("/")) return; // the address of a page of the night, which needs an invite
  history.replaceState(null, "", location.pathname);
  /** @type {HTMLInputElement} */ (document.getElementById("code")).value = code;
  const form = /** @type {HTMLFormElement} */ (document.getElementById("enter"));
  if (!("known" in form.dataset)) form.requestSubmit();
}
window.addEventListener("hashchange", enter);
enter();
