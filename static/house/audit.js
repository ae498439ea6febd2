/** How far the audit is, asked every second; the page is loaded anew when it is over. */

const EVERY_MS = 1000;

const section = document.querySelector("[data-progress]");
const part = (name) => section.querySelector(`[data-${name}]`);

function show(told) {
  part("step").textContent = told.step;
  part("number").textContent = told.number;
  part("time").textContent = told.so_long;
  const bar = part("bar");
  if (told.of) {
    bar.max = told.of;
    bar.value = told.done;
  } else {
    bar.removeAttribute("value");
  }
}

async function ask() {
  const answer = await fetch(section.dataset.progress, { headers: { Accept: "application/json" } });
  if (!answer.ok) return true;
  const told = await answer.json();
  if (told.is_running) show(told);
  return told.is_running;
}

async function follow() {
  let goesOn = true;
  try {
    goesOn = await ask();
  } catch {
    // The server is not there for the moment: it is asked again.
  }
  if (goesOn) setTimeout(follow, EVERY_MS);
  else location.reload();
}

follow();
