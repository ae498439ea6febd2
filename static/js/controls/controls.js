/** The controls: one set of buttons at a time, for the current decision. */

import { byId, el, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import {
  asksAgain,
  asksInsurance,
  findPlace,
  findSeat,
  getPiles,
  isAsked,
  isTooLittle,
  mayDecideAhead,
  mayQueueUp,
} from "../model/table_model.js";
import { canStart } from "../text/match.js";
import { AGAIN } from "../text/prompts.js";
import { createActions } from "./action_buttons.js";
import { createBetting } from "./betting.js";
import { createChoiceButtons } from "./choice_buttons.js";
import { createMoreChips } from "./more_chips.js";
import { createPlanButtons } from "./plan_buttons.js";
import { createQueueButtons } from "./queue_buttons.js";
import { createStackOffer } from "./stack_offer.js";
import { holdPresses, ignoreStrayPresses } from "./stray_press.js";

/**
 * @import { Rules, Table } from "../model/table_model.js"
 * @import { Ask } from "../lib/dialogs.js"
 * @typedef {{table: Table, you: string|null, balance: number, waiting: boolean, isOver: boolean, isHeld: boolean,
 *   isSending: boolean, isBarred: boolean, goal: Table, hint: Wire.Hint|null, plan: Wire.Plan|null}} View `isHeld`: no bet is taken now; `isSending`:
 *   a command is on its way; `isBarred`: I may not sit down here now; `goal`: the table at the end of the playback
 * @typedef {ReturnType<typeof createControls>} Controls
 * @typedef {{node: Element|null, run?: (command: string, digit?: number) => boolean, draw?: (view: View) => void}} Mode
 */

const WORDS = {
  actions: gettext("Actions"),
  insurance: gettext("Insurance"),
  again: { label: AGAIN, yes: gettext("Yes, play again"), no: gettext("No, leave") },
  placed: {
    label: gettext("Your bet"),
    change: gettext("Change bet"),
    takeBack: gettext("Undo bet"),
    notIn: gettext("Sit this one out"),
  },
  out: { label: gettext("You sit out"), back: gettext("I'm back") },
  start: gettext("Start the match"),
  standings: gettext("Standings"),
  nextMatch: gettext("To the next match"),
  deal: {
    in: gettext("Deal me in"),
    again: gettext("Play again"),
    newGame: gettext("New game"),
    nextHand: gettext("Next hand"),
  },
};

/**
 * @param {HTMLElement} place
 * @param {{rules: Rules, key: string, lastStake: () => number|null,
 *   decide: (action: Wire.Action) => void, bet: (stake: number) => void, takeBack: () => void, leave: () => void,
 *   decideAhead: (plan: Wire.Plan|null) => void, sitOut: (on: boolean) => void,
 *   startMatch: () => void, showStandings: () => void,
 *   queueUp: () => void, leaveQueue: () => void, takeSeat: (seat: number) => void,
 *   topUp: () => void, askTopUp: () => void, giveStack: (seat: number) => void,
 *   sure: Ask, isConnected: () => boolean, note: (text: string) => void, complain: (text: string) => void, saySoon: (text: string) => void}} options
 *   `key` names this player at this table
 */
export function createControls(
  place,
  {
    rules,
    key,
    lastStake,
    decide,
    bet,
    takeBack,
    leave,
    decideAhead,
    sitOut,
    startMatch,
    showStandings,
    queueUp,
    leaveQueue,
    takeSeat,
    topUp,
    askTopUp,
    giveStack,
    sure,
    isConnected,
    note,
    complain,
    saySoon,
  },
) {
  /** @type {View} */
  let now;
  let mode = "";
  /** The round that the bets were last drawn after. @type {number|null} */
  let round = null;
  let opened = "";
  let isChanging = false;

  const betting =
    rules.stakes
    && createBetting({
      stakes: rules.stakes,
      key: `auto-rebet/${key}`,
      bet: placeBet,
      keep: () => change(false),
      sure,
      isConnected,
      note,
      complain,
      saySoon,
    });
  const actions = createActions({ rules, label: WORDS.actions, decide });
  const insurance = createActions({ rules, label: WORDS.insurance, decide });
  const again = createChoiceButtons({
    label: WORDS.again.label,
    choices: [
      { command: "yes", words: WORDS.again.yes, does: () => bet(0) },
      { command: "no", words: WORDS.again.no, isQuiet: true, does: leave },
    ],
  });
  const placed = createChoiceButtons({
    label: WORDS.placed.label,
    choices: [
      {
        command: "change",
        words: WORDS.placed.change,
        isFor: Boolean(betting),
        does: () => change(true),
      },
      {
        command: "takeBack",
        words: betting ? WORDS.placed.takeBack : WORDS.placed.notIn,
        isQuiet: true,
        does: takeBack,
      },
    ],
  });
  const plans = createPlanButtons({ decideAhead });
  const backIn = createChoiceButtons({
    label: WORDS.out.label,
    choices: [{ command: "sitOut", words: WORDS.out.back, does: () => sitOut(false) }],
  });
  const queue = createQueueButtons({ queueUp, leaveQueue, takeSeat });
  const dealIn = el("button", {
    type: "button",
    class: "button is-wide deal-in",
    "aria-keyshortcuts": "Enter",
    onclick: () => runDealIn("yes"),
  });
  const start = el(
    "button",
    { type: "button", class: "button is-wide", onclick: runStart },
    WORDS.start,
  );
  const standings = el(
    "button",
    { type: "button", class: "button is-wide", onclick: showStandings },
    WORDS.standings,
  );
  const nextMatch = el("a", { class: "button is-wide" }, WORDS.nextMatch);
  const stackOffer = createStackOffer({ topUp, ask: askTopUp, give: giveStack });
  const moreChips = document.getElementById("more-chips") ? createMoreChips({ leave }) : null;
  const visitor = document.getElementById("visitor"); // there for who is not logged in
  if (visitor) visitor.hidden = false;

  /** @param {string} command */
  function runDealIn(command) {
    if (command !== "yes" || now.waiting) return false;
    bet(0);
    return true;
  }

  function runStart() {
    if (!now.waiting) startMatch();
  }

  /** Before and after a match nobody bets. @param {View} view */
  function getMatchMode({ table, you }) {
    if (table.match?.state !== "waiting")
      return table.match?.rematch && table.match.kind !== "duplicate" ? "nextMatch" : "standings";
    return table.maker === you && canStart(table) ? "startMatch" : "";
  }

  /** @param {number} stake */
  function placeBet(stake) {
    isChanging = false;
    bet(stake);
  }

  /** @param {boolean} on */
  function change(on) {
    isChanging = on;
    draw();
    if (on) saySoon(WORDS.placed.change);
  }

  /** What the player is asked for: one of `modes`, or nothing. @param {View} view */
  function getMode(view) {
    const { table, you, isHeld, isOver, balance } = view;
    const mine = findSeat(table, you);
    if (you === null) return "visitor";
    if (table.match && table.match.state !== "running" && (mine || table.match.state !== "waiting"))
      return getMatchMode(view);
    if (!mine && table.maker === you && table.match?.state === "waiting" && canStart(table))
      return "startMatch";
    if (!mine) return getQueueMode(view) || (isShort(view) ? "moreChips" : "");
    if (table.phase === "playing") {
      if (!isAsked(table, you)) return getModeAhead(view);
      return asksInsurance(table) ? "insurance" : "actions";
    }
    if (mine.sitting_out && mine.stake === null) return "sittingOut";
    if (mine.leaving || isHeld) return "";
    if (mine.stake !== null) return isChanging ? "changing" : "placed";
    if (rules.stakes && isOver && balance < rules.stakes.minimum && table.stack !== null)
      return "stackOffer";
    if (isShort(view)) return "moreChips";
    // Before the last round was shown to its end, the balance lacks what it has won.
    if (rules.stakes && !isOver && balance < rules.stakes.minimum) return "";
    if (betting) return "betting";
    if (!asksAgain(table, mine, rules)) return "dealIn";
    return isOver ? "again" : "";
  }

  /** Whether I have too little for a bet here, and the last round was shown to its end. @param {View} view */
  function isShort({ table, isOver, balance }) {
    return moreChips !== null && isOver && isTooLittle(table, rules, balance);
  }

  /** My hand waits for its turn, and nothing moves. @param {View} view */
  function getModeAhead({ goal, table, you }) {
    if (findSeat(table, you)?.sitting_out && !findSeat(table, you)?.hands.length)
      return "sittingOut";
    return mayDecideAhead(goal, you, rules) ? "ahead" : "";
  }

  /** What who has no seat can do about one. The line does not wait for the animation. @param {View} view */
  function getQueueMode({ goal, you, isBarred }) {
    const place = findPlace(goal, you);
    if (place) return place.seat === null ? "inLine" : "offer";
    return !isBarred && mayQueueUp(goal, you) ? "queueUp" : "";
  }

  /** @param {View} view */
  function drawQueue({ goal, you, isSending }) {
    queue.draw(isSending, findPlace(goal, you)?.seat ?? null);
  }

  /** @param {View} view */
  function getDealLabel({ table, you }) {
    if (!rules.piles) return findSeat(table, you)?.hands.length ? WORDS.deal.again : WORDS.deal.in;
    const { player, house, discard, game_over: isOver } = getPiles(table);
    return isOver || player + house + discard === 0 ? WORDS.deal.newGame : WORDS.deal.nextHand;
  }

  /**
   * The chips, opened anew for each betting, and for each bet that is to be changed.
   * @param {ReturnType<typeof createBetting>} form @param {View} view @param {number|null} laid
   */
  function drawBetting(form, { table, balance, waiting, isOver }, laid) {
    const funds = balance + (laid ?? 0);
    if (opened !== `${table.turn}/${laid}`) form.open(lastStake(), funds, laid);
    opened = `${table.turn}/${laid}`;
    form.update({
      balance: funds,
      isWaiting: waiting,
      held: table.rack === null ? null : table.rack + (laid ?? 0),
      isOver,
    });
  }

  /** @param {View} view */
  const stakeOf = ({ table, you }) => findSeat(table, you)?.stake ?? null;

  /** @param {ReturnType<typeof createActions>} buttons @param {View} view */
  const drawActions = (buttons, { table, you, waiting, hint }) =>
    buttons.draw(table, you, waiting, hint);

  /** @type {Record<string, Mode>} */
  const modes = {
    visitor: { node: visitor },
    queueUp: { node: queue.nodes.queueUp, run: queue.runs.queueUp, draw: drawQueue },
    inLine: { node: queue.nodes.inLine, draw: drawQueue },
    offer: { node: queue.nodes.offer, run: queue.runs.offer, draw: drawQueue },
    actions: { ...actions, draw: (view) => drawActions(actions, view) },
    insurance: {
      ...insurance,
      draw: (view) => drawActions(insurance, view),
    },
    ahead: {
      ...plans,
      draw: ({ goal, plan, isSending }) => plans.draw(goal, plan, isSending),
    },
    sittingOut: { ...backIn, draw: ({ isSending }) => backIn.draw(isSending) },
    again: { ...again, draw: ({ waiting }) => again.draw(waiting) },
    placed: { ...placed, draw: ({ waiting }) => placed.draw(waiting) },
    ...(betting && {
      betting: { ...betting, draw: (view) => drawBetting(betting, view, null) },
      changing: { ...betting, draw: (view) => drawBetting(betting, view, stakeOf(view)) },
    }),
    ...(moreChips && {
      moreChips: {
        node: moreChips.node,
        draw({ goal, you, balance }) {
          const bets = goal.seats.map(({ player, stake }) => `${player}:${stake}`);
          moreChips.draw(`${goal.turn}/${balance}/${bets}`, Boolean(findSeat(goal, you)));
        },
      },
    }),
    startMatch: {
      node: start,
      draw: ({ waiting }) => setAttribute(start, "aria-disabled", waiting ? "true" : null),
    },
    standings: { node: standings },
    nextMatch: {
      node: nextMatch,
      draw: ({ table }) => setAttribute(nextMatch, "href", `/tables/${table.match?.rematch}/`),
    },
    stackOffer: {
      node: stackOffer.node,
      draw: ({ goal, you, isSending }) => stackOffer.draw(goal, you ?? "", isSending),
    },
    dealIn: {
      node: dealIn,
      run: runDealIn,
      draw(view) {
        setText(dealIn, getDealLabel(view));
        setAttribute(dealIn, "aria-disabled", view.waiting ? "true" : null);
      },
    },
  };

  ignoreStrayPresses(place, () => {
    const { asked } = now.table;
    return `${mode}/${asked?.seat}/${asked?.hand}`;
  });

  /** By its key: sits out, or is back in. */
  function toggleOut() {
    const mine = findSeat(now.goal, now.you);
    if (!mine || mine.leaving || now.isSending) return false;
    sitOut(!mine.sitting_out);
    return true;
  }

  /** @param {Element|null|undefined} node */
  function show(node) {
    if (place.firstElementChild === (node ?? null)) return;
    const hadFocus = place.contains(document.activeElement);
    place.replaceChildren(...(node ? [node] : []));
    if (hadFocus) byId("console").focus({ preventScroll: true });
  }

  /** Whether these buttons replace others that somebody may be pressing. @param {string} next */
  function isUnexpected(next) {
    return next === "again" || (mode === "ahead" && (next === "actions" || next === "insurance"));
  }

  function draw() {
    const next = getMode(now);
    if (mode === "betting" && next !== "betting") {
      betting?.auto.drop();
      betting?.endQuestion();
    }
    if (now.goal.round !== round) {
      round = now.goal.round;
      betting?.endQuestion(); // A round that is over at once leaves no time without bets.
    }
    if (now.table.phase === "playing") betting?.auto.arm();
    else if (now.isHeld) betting?.auto.drop(); // No automatic stake after a pause.
    if (findSeat(now.goal, now.you)?.sitting_out) betting?.auto.switchOff("out");
    if (next !== "placed" && next !== "changing") isChanging = false;
    if (next !== "betting" && next !== "changing") opened = "";
    modes[next]?.draw?.(now);
    show(modes[next]?.node);
    if (next !== mode && isUnexpected(next)) holdPresses(place);
    mode = next;
    place.dataset.mode = mode;
  }

  return {
    /**
     * Runs the command of a key if possible now. Returns whether it did.
     * @param {string} command @param {string} pressed
     */
    run(command, pressed) {
      const digit = command === "chip" ? Number(pressed) : undefined;
      return Boolean(modes[mode]?.run?.(command, digit)) || (command === "sitOut" && toggleOut());
    },
    /** My clock ran out: I may be absent. */
    missed: () => betting?.auto.switchOff("clock"),
    /** The stakes have changed. */
    changed: () => betting?.auto.switchOff("changed"),
    /** @param {View} view */
    draw(view) {
      now = view;
      draw();
    },
  };
}
