// Whatever goes wrong is shown to the reader instead of only to the console.

/** Messages of everything that went wrong, oldest first. */
const faults = [];

/** Shows a sentence in the middle of the page; an empty one takes it away. */
function showMessage(text) {
  const message = document.getElementById("message");
  message.textContent = text;
  message.hidden = text === "";
}

function reportFault(text) {
  faults.push(text);
  showMessage(`This page ran into a problem: ${text}`);
}

window.addEventListener("error", (event) => reportFault(event.message));
window.addEventListener("unhandledrejection", (event) => reportFault(String(event.reason)));
