/** The people at the table: watchers, invite, host and chat. */

import { createConfirmDialog } from "../lib/dialogs.js";
import { byId, el, setText } from "../lib/dom.js";
import { gettext, ngettext } from "../lib/i18n.js";
import { createCommandQueue } from "../net/command_queue.js";
import { formatNextInLine } from "../text/queue.js";
import { createChat } from "./chat.js";
import { createHostMenu } from "./host_menu.js";
import { createInvite } from "./invite.js";
import { createOutdatedNotice } from "./outdated_notice.js";
import { createPeople } from "./people.js";
import { createReactions } from "./reactions.js";
import { createReportDialog } from "./report_dialog.js";

/**
 * @import { Table } from "../model/table_model.js"
 * @import { Command, Sent } from "../net/command_queue.js"
 */

const WORDS = {
  private: gettext("Private"),
  locked: gettext("Locked"),
  closing: gettext("Last round"),
  paused: gettext("Paused"),
  noChat: gettext("Chat off"),
  /** @param {number} count */
  watching: (count) => ngettext("%(count)s watching", "%(count)s watching", count, { count }),
  closed: gettext("This table is closed."),
  banned: gettext("The host has banned you from this table."),
  shutOut: gettext("The link to this table has changed. Ask the host for the new one."),
  /** @param {string} maker */
  hosted: (maker) => gettext("It was %(maker)s's table.", { maker }),
};
/** After these events a snapshot is needed: for the code, and the host's rights. */
const CHANGES_ME = ["invite_renewed", "table_handed_on"];
const CHANGES_HOST = ["player_banned", "ban_lifted"];

/**
 * @param {{config: Wire.TableConfig, table: Table, send: (message: Sent) => boolean, resync: () => void, seq: () => number, onOld: () => void}} options
 *   `table` as the page was made.
 */
export function createSocialPanel({ config, table: first, send, resync, seq, onOld }) {
  /** Apart from the game's commands: a line that is on its way must not hold up a card. */
  const commands = createCommandQueue({ key: `company/${config.id}/${config.you}`, send });
  const sure = createConfirmDialog();
  const invite = createInvite({ sure, name: config.name, renew: () => give({ t: "renew" }) });
  const host = createHostMenu({ sure, give });
  const changed = createOutdatedNotice({ edition: first.edition, onOld });
  const reports = createReportDialog();
  const chat = createChat({
    key: `${config.id}/${config.you}`,
    report: reports?.line,
    say: (text) => give({ t: "say", text }),
    unsay: (line) => give({ t: "unsay", line }),
    silence: (player, on) => give({ t: "silence", player, on }),
  });
  const people = createPeople({ report: reports?.person });
  const reactions = createReactions({ send, isMuted: chat.isMuted });
  let table = first;
  let present = config.snapshot.present;
  let you = config.snapshot.you;
  let lastNews = "";
  let isClosed = false;
  let isBanned = false;

  /** @param {Command} command */
  function give(command) {
    commands.give(command);
    draw();
  }

  function draw() {
    const isWaiting = commands.isWaiting(seq());
    // First: on a phone, the end of the line is cut.
    setText(byId("next-in-line"), isClosed ? "" : formatNextInLine(table));
    drawWords(table, isClosed);
    invite.draw(table, you, { isWaiting, isClosed });
    host.draw(table, you, { isWaiting, isClosed });
    changed.draw(table);
    people.draw(table, present, you.player);
    const isSeated = table.seats.some(({ player }) => player !== null && player === you.player);
    reactions.draw(isSeated && table.chat !== false && !isClosed);
    chat.draw({
      you,
      isOn: table.chat !== false,
      isClosed,
      waiting: commands.waitingLines(),
    });
  }

  /** The element that shows a refusal: beside the pressed button. @param {Sent} command @param {string} why */
  function refused(command, why) {
    const { t } = command;
    if (command.t === "say") chat.refused(command.text, why);
    else if (t === "unsay" || t === "silence") chat.refused("", why);
    else if (t === "renew") invite.refuse(why);
    else host.refuse(why);
  }

  chat.replace(config.snapshot.chat ?? []);
  draw();

  return {
    /** Everything anew. @param {Table} now @param {Wire.You} viewer @param {Wire.Line[]} lines @param {string[]} names */
    snapshot(now, viewer, lines, names) {
      table = now;
      present = names;
      you = viewer;
      chat.replace(lines ?? []);
      commands.resend();
      draw();
    },
    /** @param {Wire.Event[]} events @param {Table} now */
    change(events, now) {
      table = now;
      lastNews = events.at(-1)?.type ?? lastNews;
      for (const event of events) {
        if (event.type === "player_banned") isBanned ||= event.player === you.player;
        if (event.type === "ban_lifted") isBanned &&= event.player !== you.player;
      }
      const ofMe = you.runs ? [...CHANGES_ME, ...CHANGES_HOST] : CHANGES_ME;
      if (events.some(({ type }) => ofMe.includes(type))) resync();
      draw();
    },
    /** @param {Wire.Said} said */
    said: ({ line, before }) => chat.said(line, before) || resync(),
    /** @param {Wire.Unsaid} unsaid */
    unsaid: ({ line }) => chat.unsaid(line),
    /** Whether there was a field to write in. */
    write: chat.write,
    /** Whether the reactions opened. */
    react: reactions.open,
    /** @param {Wire.Reacted} reacted */
    reacted: (reacted) => reactions.reacted(reacted, you.player),
    /** @param {Wire.Watching} watching */
    watching({ watchers, present: names }) {
      table = { ...table, watchers };
      present = names;
      draw();
    },
    /**
     * Whether the answer was to one of my commands here.
     * @param {string|null} id @param {number} at @param {Pick<Wire.Err, "code"|"message">|null} refusal
     */
    answered(id, at, refusal) {
      if (reactions.answered(id, refusal)) return true;
      const command = commands.answered(id, at);
      if (!command) return false;
      if (refusal?.code === "password_first") location.assign(config.password_url);
      if (refusal) refused(command, refusal.message);
      else if (command.t === "silence") resync();
      draw();
      return true;
    },
    /** The table is closed, or I have lost access; its cards stay visible. */
    close() {
      isClosed = true;
      document.body.classList.add("is-closed");
      const shutOut = lastNews === "invite_renewed" ? WORDS.shutOut : "";
      const why = isBanned ? WORDS.banned : shutOut;
      setText(byId("closed-title"), why || WORDS.closed);
      setText(byId("closed-who"), table.maker && !why ? WORDS.hosted(table.maker) : "");
      byId("closed").hidden = false;
      draw();
    },
  };
}

/**
 * Beside the name of the rules: private, locked, closing, and the number of watchers.
 * @param {Table} table @param {boolean} isClosed
 */
function drawWords({ private: isPrivate, locked, closing, paused, chat, watchers }, isClosed) {
  const place = byId("company-words");
  const words = [
    { word: isPrivate && WORDS.private },
    { word: locked && WORDS.locked },
    { word: closing && WORDS.closing },
    { word: paused !== null && WORDS.paused },
    { word: chat === false && WORDS.noChat },
    { word: watchers > 0 && WORDS.watching(watchers), className: "watching-words" },
  ];
  const nodes = words.flatMap(({ word, className = "" }) =>
    isClosed || !word
      ? []
      : [el("span", { class: className }, `\u00a0· ${word.replaceAll(" ", "\u00a0")}`)],
  );
  if (place.textContent !== nodes.map(({ textContent }) => textContent).join(""))
    place.replaceChildren(...nodes);
}
