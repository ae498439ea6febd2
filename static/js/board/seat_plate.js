/** The plate of a seat: its player, the result, and the stake, insurance or score. */

import { el, find, getChildren, setAttribute, setClasses, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { findAsked, isAwaited } from "../model/table_model.js";
import { formatSigned, formatStake } from "../text/format.js";
import { findInsurance } from "../text/insurance.js";
import { formatTally } from "../text/session_time.js";
import { formatAway, formatIdle } from "./away_countdown.js";

/** @import { Rules, Seat, Table, TakenSeat } from "../model/table_model.js" */

const WITH_HINTS = gettext("plays with hints");

export function createPlate() {
  return el(
    "div",
    { class: "plate" },
    el(
      "span",
      { class: "badge", "aria-hidden": "true" },
      el("span", { class: "initial" }),
      el("span", { class: "hint-mark" }),
    ),
    el("span", { class: "name" }),
    el("span", { class: "note" }),
    el("span", { class: "hint-note visually-hidden" }),
    el(
      "span",
      { class: "seat-facts" },
      el("span", { class: "stake" }),
      el("span", { class: "insurance" }),
      el("span", { class: "bank" }),
      el(
        "span",
        { class: "tally" },
        el("span", { class: "tally-long" }),
        el("span", { class: "tally-short", "aria-hidden": "true" }),
      ),
      el(
        "span",
        { class: "net" },
        el("span", { class: "net-word" }, ` ${gettext("session")} `),
        el("b", {}),
      ),
    ),
  );
}

/**
 * @param {Element} plate @param {TakenSeat} seat @param {Table} table
 * @param {{isMine: boolean, rules: Rules, now: () => number}} manner
 */
export function drawPlate(plate, seat, table, { isMine, rules, now }) {
  const [badge, name, note, hintNote, facts] = getChildren(plate);
  const all = getChildren(facts);
  const [stake, insurance, bank, tally, net] = all;
  const owesAnswer = table.deadline !== null && isAwaited(table, seat);
  setClasses(badge, { "has-clock": Boolean(findAsked(table, seat.seat)) || owesAnswer });
  setText(find(badge, ".initial"), seat.player[0].toUpperCase());
  setAttribute(badge, "data-colour", seat.colour);
  setText(name, seat.player);
  setClasses(badge, { "has-hints": seat.hints });
  setAttribute(badge, "title", seat.hints ? WITH_HINTS : null);
  setText(hintNote, seat.hints ? ` ${WITH_HINTS} ` : "");
  const away = isMine ? formatIdle(seat, now(), rules) : formatAway(seat, table, now());
  setText(note, away || noteText(seat, isMine));
  setClasses(plate, { "is-out": seat.sitting_out });
  setClasses(plate, { "is-away": Boolean(away) });
  setText(stake, formatStakeText(seat, isMine, rules));
  setClasses(stake, { "has-chip": rules.stakes !== null });
  setText(insurance, findInsurance(seat.insurance));
  setText(bank, formatBank(seat, table, now()));
  setClasses(bank, { "is-running": isBankRunning(seat, table) });
  if (rules.again && seat.tally) drawTally(tally, seat.tally);
  for (const fact of all) fact.hidden = !fact.textContent;
  net.hidden = !rules.stakes || !seat.net;
  setText(find(net, "b"), net.hidden ? "" : formatSigned(seat.net));
  facts.hidden = all.every((fact) => fact.hidden);
}

/**
 * What stands behind the name; that I have decided about insurance, the status says.
 * @param {Seat} seat @param {boolean} isMine
 */
function noteText({ leaving, answered, insurance, sitting_out: isOut }, isMine) {
  if (leaving) return gettext("leaving");
  if (isOut) return gettext("sits out");
  if (isMine) return gettext("you");
  return answered && !insurance ? gettext("decided") : "";
}

/**
 * The stake for the coming round; without stakes, "in" marks other players, and the status line mine.
 * @param {Seat} seat @param {boolean} isMine @param {Rules} rules
 */
function formatStakeText({ stake }, isMine, rules) {
  if (stake === null) return "";
  if (rules.stakes) return formatStake(stake, rules);
  return isMine ? "" : gettext("in");
}

/** Whether the clock of this seat is its time bank. @param {Seat} seat @param {Table} table */
function isBankRunning(seat, table) {
  return table.on_bank && Boolean(findAsked(table, seat.seat));
}

/**
 * The time bank, "" where there is none. It counts down while it runs.
 * @param {Seat} seat @param {Table} table @param {number} now
 */
function formatBank(seat, table, now) {
  if (seat.bank === null) return "";
  const remaining = isBankRunning(seat, table)
    ? Math.max(0, (table.deadline ?? 0) - now)
    : seat.bank;
  return gettext("time bank %(seconds)s s", { seconds: Math.ceil(remaining / 1000) });
}

/** @param {Element} node @param {Wire.Score} tally */
function drawTally(node, tally) {
  const [long, short] = node.children;
  setText(long, gettext("Won %(won)s · Lost %(lost)s · Pushed %(pushed)s", { ...tally }));
  setText(short, formatTally(tally));
  setAttribute(short, "title", long.textContent);
}
