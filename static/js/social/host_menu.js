/** The menu of the host: pause, lock the table, switch the chat, make another host, free a seat, ban, close. */
import { wireDialog } from "../lib/dialogs.js";
import { byId, el, find, getChildren, reconcile, setAttribute, setText } from "../lib/dom.js";
import { gettext } from "../lib/i18n.js";
import { isTaken } from "../model/table_model.js";
import { formatMoney } from "../text/format.js";

/**
 * @import { Ask, Question } from "../lib/dialogs.js"
 * @import { Property } from "../lib/dom.js"
 * @import { Table, TakenSeat } from "../model/table_model.js"
 * @import { Command } from "../net/command_queue.js"
 */

/**
 * The switches show the server's last state, not the click.
 * @type {{t: "lock"|"chat"|"allow_hints", of: (table: Table) => boolean, name: string, help: string}[]}
 */
const SWITCHES = [
  {
    t: "lock",
    of: (table) => table.locked,
    name: gettext("Locked"),
    help: gettext("Nobody new can sit down."),
  },
  {
    t: "chat",
    of: (table) => table.chat,
    name: gettext("Chat"),
    help: gettext("Everyone at the table can read and write."),
  },
  {
    t: "allow_hints",
    of: (table) => table.hints_allowed,
    name: gettext("Hints"),
    help: gettext("Players may see what each action is worth."),
  },
];

const WORDS = {
  on: gettext("On"),
  off: gettext("Off"),
  pause: gettext("Pause the table"),
  resume: gettext("Resume"),
  handOn: gettext("Make host"),
  free: gettext("Free seat"),
  ban: gettext("Ban"),
  stack: gettext("Give a stack"),
  asks: gettext("asks for a stack"),
  takeBack: gettext("Take back"),
  speak: gettext("Unmute"),
  /** @param {number} number */
  seat: (number) => gettext("seat %(number)s", { number }),
  /** @param {string} player */
  sureHandOn: (player) => ({
    title: gettext("Make %(player)s the host?", { player }),
    text: gettext("%(player)s will run this table. You will no longer be the host.", { player }),
    yes: gettext("Make %(player)s the host", { player }),
  }),
  /** @param {string} player @param {number} stack */
  sureStack: (player, stack) => ({
    title: gettext("Give %(player)s another stack?", { player }),
    text: gettext("%(player)s gets %(chips)s more chips. They can't be taken back.", {
      player,
      chips: formatMoney(stack),
    }),
    yes: gettext("Give a stack"),
  }),
  /** @param {string} player @param {number} seat */
  sureFree: (player, seat) => ({
    title: gettext("Free %(player)s's seat?", { player }),
    text: gettext(
      "%(player)s loses seat %(seat)s and can sit down here again after 10 minutes. A bet that is not dealt yet is returned.",
      { player, seat },
    ),
    yes: gettext("Free seat"),
  }),
  /** @param {string} player */
  sureBan: (player) => ({
    title: gettext("Ban %(player)s from this table?", { player }),
    text: gettext(
      "%(player)s can't sit down or write here until you take it back, and can't see the table if it is private. A hand in play stands.",
      { player },
    ),
    yes: gettext("Ban %(player)s", { player }),
  }),
  sureBreakOff: {
    title: gettext("Break the match off and close the table?"),
    text: gettext("The current round is finished first. Then the match is over, and nobody wins."),
    yes: gettext("Close table"),
  },
  sureClose: {
    title: gettext("Close the table permanently?"),
    text: gettext("The current round is finished first. A closed table can't be opened again."),
    yes: gettext("Close table"),
  },
};

/**
 * @param {{give: (command: Command) => void, sure: Ask}} options
 */
export function createHostMenu({ give, sure }) {
  const dialog = byId("host-dialog", HTMLDialogElement);
  const opener = byId("host-open");
  const close = byId("host-close");
  const keep = byId("host-keep");
  const pause = byId("host-pause");
  const resume = byId("host-resume");
  /** @type {Table} */
  let table;
  /** @type {Wire.You} */
  let you;
  let mustWait = false;

  wireDialog(dialog, opener, () => refuse(""));
  close.addEventListener("click", () =>
    ask({ t: "close" }, table.match?.state === "running" ? WORDS.sureBreakOff : WORDS.sureClose),
  );
  keep.addEventListener("click", () => ask({ t: "close", on: false }));
  pause.addEventListener("click", () => ask({ t: "pause", on: table.paused === null }));
  // On the notice of the pause, so that nobody has to look for it in the menu.
  resume.addEventListener("click", () => ask({ t: "pause", on: false }));

  find(dialog, "#host-ban-form", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    const field = byId("host-ban-name", HTMLInputElement);
    const player = field.value.trim();
    if (!player) return field.focus();
    ban(player).then(() => {
      field.value = "";
    });
  });

  /** @param {string} player */
  const ban = (player) => ask({ t: "ban", player, on: true }, WORDS.sureBan(player));

  /**
   * Sends a command, after a confirmation if needed, unless it was disabled meanwhile.
   * @param {Command} command @param {Question|null} [question] @param {() => boolean} [isBarred]
   */
  async function ask(command, question = null, isBarred = () => false) {
    if (mustWait || isBarred()) return;
    if (question && !(await sure(question))) return;
    refuse("");
    give(command);
  }

  /** @param {string} text */
  function refuse(text) {
    setText(byId("host-refusal"), text);
  }

  /** @param {typeof SWITCHES[number]} entry */
  function createSwitch({ t, of, name, help }) {
    const button = el(
      "button",
      {
        type: "button",
        class: "switch",
        role: "switch",
        "data-command": t,
        onclick: () => ask({ t, on: !of(table) }),
      },
      el(
        "span",
        { class: "switch-words" },
        el("b", {}, name),
        el("span", { class: "switch-help" }, help),
      ),
      el("span", { class: "switch-state", "aria-hidden": "true" }),
    );
    return el("li", {}, button);
  }

  /** @param {Element} row @param {typeof SWITCHES[number]} entry */
  function drawSwitch(row, { of }) {
    const button = find(row, "button");
    const isOn = Boolean(of(table));
    setAttribute(button, "aria-checked", String(isOn));
    setAttribute(button, "aria-disabled", mustWait ? "true" : null);
    setText(find(button, ".switch-state"), isOn ? WORDS.on : WORDS.off);
  }

  const isPlaying = () => table.phase === "playing";

  /** @param {TakenSeat} seat */
  function createPerson({ seat, player }) {
    /** @param {string} words @param {() => void} press @param {Record<string, Property>} [extra] */
    const button = (words, press, extra = {}) =>
      el(
        "button",
        {
          type: "button",
          class: "button is-quiet is-small",
          onclick: press,
          "aria-label": `${words}: ${player}`,
          ...extra,
        },
        words,
      );
    return el(
      "li",
      { class: "is-seated" },
      el(
        "span",
        { class: "host-name" },
        player,
        " ",
        el("span", { class: "host-seat" }, WORDS.seat(seat)),
        el("span", { class: "host-asks" }),
      ),
      button(WORDS.stack, () => giveStack(seat, player), { "data-does": "give-stack" }),
      button(WORDS.handOn, () => ask({ t: "hand_on", player }, WORDS.sureHandOn(player)), {
        "data-does": "hand-on",
      }),
      button(WORDS.free, () => ask({ t: "free", seat }, WORDS.sureFree(player, seat), isPlaying), {
        "data-does": "free",
      }),
      button(WORDS.ban, () => ban(player), { "data-does": "ban" }),
    );
  }

  /** Gives a stack. Asks for confirmation unless the player has asked for a stack. @param {number} seat @param {string} player */
  function giveStack(seat, player) {
    const isAsked = table.seats.some((one) => one.player === player && one.asks);
    const question = isAsked ? null : WORDS.sureStack(player, table.stack ?? 0);
    ask({ t: "give_stack", seat }, question, isPlaying);
  }

  /** @param {Element} row @param {TakenSeat} seat */
  function drawPerson(row, { player, chips, stake, asks }) {
    const [, stack, handOn, free, bar] = getChildren(row);
    const isInMatch = table.match?.state === "running";
    stack.hidden =
      table.match !== null || table.stack === null || (chips ?? 0) + (stake ?? 0) >= table.stack;
    free.hidden = isInMatch; // the host may put no rival out
    setAttribute(stack, "aria-disabled", mustWait || isPlaying() ? "true" : null);
    setText(find(row, ".host-asks"), asks ? ` ${WORDS.asks}` : "");
    bar.hidden = isInMatch || player === table.maker;
    setAttribute(bar, "aria-disabled", mustWait ? "true" : null);
    handOn.hidden = player === table.maker;
    setAttribute(handOn, "aria-disabled", mustWait ? "true" : null);
    setAttribute(free, "aria-disabled", mustWait || isPlaying() ? "true" : null);
    setAttribute(free, "aria-describedby", isPlaying() ? "host-wait" : null);
  }

  /** @param {string} words @param {string} player @param {() => void} press */
  function createSmallButton(words, player, press) {
    return el(
      "button",
      {
        type: "button",
        class: "button is-quiet is-small",
        "aria-label": `${words}: ${player}`,
        onclick: press,
      },
      words,
    );
  }

  /** @param {string} player */
  function createSilenced(player) {
    return el(
      "li",
      {},
      el("span", { class: "host-name" }, player),
      createSmallButton(WORDS.speak, player, () => ask({ t: "silence", player, on: false })),
      createSmallButton(WORDS.ban, player, () => ban(player)),
    );
  }

  /** @param {string} player */
  function createBanned(player) {
    return el(
      "li",
      {},
      el("span", { class: "host-name" }, player),
      createSmallButton(WORDS.takeBack, player, () => ask({ t: "ban", player, on: false })),
    );
  }

  /** Operators at the tables of others may end every pause, their host only the own one. */
  const isPausedByOthers = () =>
    table.paused !== null && !table.paused_by_host && table.maker === you.player;

  function drawPause() {
    pause.hidden = isPausedByOthers() || table.closing;
    setText(pause, table.paused === null ? WORDS.pause : WORDS.resume);
    setAttribute(pause, "aria-disabled", mustWait ? "true" : null);
    byId("host-pause-help").hidden = pause.hidden || table.paused !== null;
    byId("host-paused").hidden = !isPausedByOthers();
    byId("host-settings").hidden = table.maker !== you.player || table.closing;
  }

  function drawDialog() {
    drawPause();
    reconcile(byId("host-switches"), SWITCHES, ({ t }) => t, createSwitch, drawSwitch);
    const others = table.seats.filter(isTaken).filter(({ player }) => player !== you.player);
    reconcile(
      byId("host-people"),
      others,
      ({ seat, player }) => `${seat} ${player}`,
      createPerson,
      drawPerson,
    );
    byId("host-nobody").hidden = others.length > 0;
    byId("host-wait").hidden = !others.length || !isPlaying();
    const silenced = you.silenced ?? [];
    byId("host-silenced-part").hidden = !silenced.length;
    reconcile(byId("host-silenced"), silenced, String, createSilenced, () => {});
    const banned = you.banned ?? [];
    byId("host-banned").hidden = !banned.length;
    reconcile(byId("host-banned"), banned, String, createBanned, () => {});
    close.hidden = table.closing;
    byId("host-closing-part").hidden = !table.closing;
    for (const button of [close, keep])
      setAttribute(button, "aria-disabled", mustWait ? "true" : null);
  }

  /** How many players ask for a stack, on the button that opens the dialog. */
  function drawAsked() {
    const number = table.seats.filter(({ asks }) => asks).length;
    setText(byId("host-asked-count"), String(number));
    byId("host-asked").hidden = !number;
  }

  return {
    refuse,
    /** @param {Table} now @param {Wire.You} viewer @param {{isWaiting: boolean, isClosed: boolean}} state */
    draw(now, viewer, { isWaiting, isClosed }) {
      table = now;
      you = viewer;
      mustWait = isWaiting;
      opener.hidden = !you.runs || isClosed;
      if (opener.hidden && dialog.open) dialog.close();
      resume.hidden = opener.hidden || table.paused === null || isPausedByOthers();
      setAttribute(resume, "aria-disabled", mustWait ? "true" : null);
      drawAsked();
      if (!opener.hidden) drawDialog();
    },
  };
}
