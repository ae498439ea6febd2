/** The plate at a seat: who sits there, what is staked, insured or kept as score. */
import { el, setClasses, setText } from "./dom.js";
import { insuranceAtSeat } from "./insurance.js";
import { stakeWords } from "./words.js";

export function newPlate() {
  return el("div", { class: "plate" },
    el("span", { class: "badge", "aria-hidden": "true" }, el("span", { class: "initial" })),
    el("span", { class: "name" }),
    el("span", { class: "note" }),
    el("span", { class: "seat-facts" },
      el("span", { class: "stake" }),
      el("span", { class: "insurance" }),
      el("span", { class: "tally" },
        el("span", { class: "tally-long" }),
        el("span", { class: "tally-short", "aria-hidden": "true" }))));
}

/** @param {Element} plate @param {import("./model.js").Seat} seat */
export function drawPlate(plate, seat, table, { isMine, rules }) {
  const [badge, name, note, facts] = plate.children;
  const [stake, insurance, tally] = facts.children;
  const owesAnswer = table.phase === "betting" && seat.stake === null && table.deadline !== null;
  setClasses(badge, { "has-clock": table.asked?.seat === seat.seat || owesAnswer });
  setText(badge.firstElementChild, seat.player[0].toUpperCase());
  setText(name, seat.player);
  setText(note, seat.leaving ? "leaving" : isMine ? "you" : "");
  setText(stake, stakeText(seat, isMine, rules));
  setClasses(stake, { "has-chip": rules.stakes !== null });
  setText(insurance, insuranceAtSeat(seat.insurance));
  if (rules.again && seat.tally) drawTally(tally, seat.tally);
  for (const fact of facts.children) fact.hidden = !fact.textContent;
  facts.hidden = [...facts.children].every((fact) => fact.hidden);
}

/** The stake for the coming round; where none is, "in" tells it of others, and of me the status does. */
function stakeText({ stake }, isMine, rules) {
  if (stake === null) return "";
  if (rules.stakes) return stakeWords(stake, rules);
  return isMine ? "" : "in";
}

function drawTally(node, { won, lost, pushed }) {
  const [long, short] = node.children;
  setText(long, `Won ${won} · Lost ${lost} · Pushed ${pushed}`);
  setText(short, `${won}–${lost}–${pushed}`);
}
