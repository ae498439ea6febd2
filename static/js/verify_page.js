/** On the page of a round: checks its shoe here in the browser when asked to. */
import { byId, el, setAttribute } from "./dom.js";
import { gettext, ngettext } from "./i18n.js";
import { difference, sealOf, shuffled } from "./verify.js";

function say(text, className = "") {
  byId("verdicts").append(el("li", { class: className }, text));
}

/** The words that this browser added, if it was at the table. */
function mine(proof) {
  try {
    return sessionStorage.getItem(`words/${proof.label.split(":")[1]}`);
  } catch {
    return null;
  }
}

async function check(proof) {
  byId("verdicts").replaceChildren();
  if (!crypto.subtle) {
    say(gettext("This browser computes such things only on https or on localhost. Download the proof and check it with the program."), "is-note");
    return;
  }
  const isSeal = (await sealOf(proof.secret)) === proof.commitment;
  say(isSeal ? gettext("The secret fits the seal that was shown before the bets.") : gettext("The secret does not fit the seal!"), isSeal ? "" : "is-foul");
  const own = mine(proof);
  if (own) {
    const isIn = proof.words.some(([, words]) => words === own);
    say(isIn ? gettext("The words of your browser were mixed in.") : gettext("The words of your browser were not mixed in!"), isIn ? "" : "is-foul");
  }
  const shoe = await shuffled(proof);
  const foul = proof.rounds.map((round) => [round, difference(shoe, round)]).filter(([, computed]) => computed !== null);
  for (const [round, computed] of foul) {
    say(gettext("Round %(round)s was dealt %(cards)s, but the shoe says %(computed)s.", { ...round, computed }), "is-foul");
  }
  if (foul.length) return;
  const cards = proof.rounds.reduce((sum, round) => sum + round.cards.split(" ").length, 0);
  say(ngettext(
    "All %(cards)s cards of the round fell as secret and words say.",
    "All %(cards)s cards of the %(number)s rounds fell as secret and words say.",
    proof.rounds.length, { cards, number: proof.rounds.length },
  ));
}

export function wireProof() {
  const proof = JSON.parse(byId("proof").textContent);
  const button = document.getElementById("verify");
  button?.addEventListener("click", async () => {
    if (button.getAttribute("aria-disabled")) return;
    setAttribute(button, "aria-disabled", "true");
    try {
      await check(proof);
    } catch (error) {
      say(gettext("This could not be checked here."), "is-foul");
      console.error(error);
    }
    setAttribute(button, "aria-disabled", null);
  });
}
