/** The page of a round: checks its shoe here in the browser when asked to. */
import { byId, el, setAttribute } from "./dom.js";
import { difference, sealOf, shuffled } from "./verify.js";

const proof = JSON.parse(byId("proof").textContent);
const button = document.getElementById("verify");
const list = document.getElementById("verdicts");

function say(text, className = "") {
  list.append(el("li", { class: className }, text));
}

/** The words that this browser added, if it was at the table. */
function mine() {
  try {
    return sessionStorage.getItem(`words/${proof.label.split(":")[1]}`);
  } catch {
    return null;
  }
}

async function check() {
  list.replaceChildren();
  if (!crypto.subtle) {
    say("This browser computes such things only on https or on localhost. Download the proof and check it with the program.", "is-note");
    return;
  }
  const isSeal = (await sealOf(proof.secret)) === proof.commitment;
  say(isSeal ? "The secret fits the seal that was shown before the bets." : "The secret does not fit the seal!", isSeal ? "" : "is-foul");
  const own = mine();
  if (own) {
    const isIn = proof.words.some(([, words]) => words === own);
    say(isIn ? "The words of your browser were mixed in." : "The words of your browser were not mixed in!", isIn ? "" : "is-foul");
  }
  const shoe = await shuffled(proof);
  const foul = proof.rounds.map((round) => [round, difference(shoe, round)]).filter(([, computed]) => computed !== null);
  for (const [round, computed] of foul) {
    say(`Round ${round.round} was dealt ${round.cards}, but the shoe says ${computed}.`, "is-foul");
  }
  if (foul.length) return;
  const cards = proof.rounds.reduce((sum, round) => sum + round.cards.split(" ").length, 0);
  say(`All ${cards} cards of ${proof.rounds.length === 1 ? "the round" : `the ${proof.rounds.length} rounds`} fell as secret and words say.`);
}

button?.addEventListener("click", async () => {
  if (button.getAttribute("aria-disabled")) return;
  setAttribute(button, "aria-disabled", "true");
  try {
    await check();
  } catch (error) {
    say("This could not be checked here.", "is-foul");
    console.error(error);
  }
  setAttribute(button, "aria-disabled", null);
});
