/** Who sits and who watches; friends are asked and invited from here. */
import { wireDialog } from "../lib/dialogs.js";
import { byId, el, reconcile, setText } from "../lib/dom.js";
import { gettext, ngettext } from "../lib/i18n.js";

/**
 * @import { Table } from "../model/table_model.js"
 * @typedef {{name: string, relation: string, is_here: boolean, is_invited: boolean}} Person
 * @typedef {{isGuest: boolean, people: Person[], invitable: Person[]}} Known
 */

/** @type {Record<string, string>} */
const RELATIONS = {
  friend: gettext("friend"),
  asked: gettext("asked"),
  blocked: gettext("blocked"),
  guest: gettext("guest"),
  self: gettext("you"),
};
const WORDS = {
  ask: gettext("Ask to be friends"),
  accept: gettext("Accept as a friend"),
  report: gettext("Report"),
  invite: gettext("Invite"),
  invited: gettext("invited"),
  here: gettext("here now"),
  failed: gettext("That didn't work. Try again later."),
  /** @param {number} count */
  strangers: (count) =>
    ngettext(
      "and %(count)s visitor without a name",
      "and %(count)s visitors without a name",
      count,
      { count },
    ),
  /** @param {number} count */
  watching: (count) => ngettext("%(count)s watching", "%(count)s watching", count, { count }),
};

/** @param {{report?: (player: string) => void}} options */
export function createPeople({ report }) {
  const dialog = byId("people-dialog", HTMLDialogElement);
  const { source = "", table: tableId = "" } = dialog.dataset;
  const form = document.getElementById("people-form");
  const hasInvites = document.getElementById("invite-people") !== null;
  /** @type {Known|null} */
  let data = null;
  /** @type {{table: Table, present: string[]}|null} */
  let view = null;
  /** @type {string|null} */
  let you = null;

  wireDialog(dialog, byId("people-open"), () => {
    setText(byId("people-done"), "");
    load();
  });
  // The name on a plate is a second way, for who points at it.
  byId("seats").addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest(".plate .name")) byId("people-open").click();
  });
  byId("host-watchers").addEventListener("click", () => {
    byId("host-dialog", HTMLDialogElement).close();
    byId("people-open").click();
  });
  if (hasInvites) byId("invite-open").addEventListener("click", load);

  async function load() {
    if (!form) return;
    try {
      const answer = await fetch(source, { headers: { "X-Requested-With": "fetch" } });
      if (answer.ok && !answer.redirected) data = await answer.json();
    } catch {
      // Without a line there are the names alone.
    }
    draw();
  }

  /** @param {string} action @param {string} player @param {HTMLElement} output */
  async function act(action, player, output) {
    const token = form?.querySelector("input")?.value ?? "";
    const body = new URLSearchParams({ csrfmiddlewaretoken: token, player, table: tableId });
    try {
      const headers = { "X-Requested-With": "fetch" };
      const answer = await fetch(`/friends/${action}/`, { method: "POST", body, headers });
      if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
      setText(output, (await answer.json()).says);
    } catch {
      setText(output, WORDS.failed);
    }
    await load();
  }

  /** @param {string} name */
  function createRow(name) {
    return el(
      "li",
      {},
      el("span", { class: "host-name", dir: "auto" }, name),
      el("span", { class: "host-seat" }),
      createButton(name, ""),
    );
  }

  /** @param {string} name */
  function createRowOfPerson(name) {
    const row = createRow(name);
    const button = createButton(name, WORDS.report);
    button.onclick = () => report?.(name);
    row.append(button);
    return row;
  }

  /** @param {string} name @param {string} words */
  function createButton(name, words) {
    return el(
      "button",
      { type: "button", class: "button is-quiet is-small", hidden: true },
      el("span", {}, words),
      el("span", { class: "visually-hidden" }, ` ${name}`),
    );
  }

  /** @param {Element} row @param {string} name */
  function drawRow(row, name) {
    const relation = data?.people.find((one) => one.name === name)?.relation ?? "";
    const action = { none: "ask", asks: "accept" }[relation];
    const [, note, button, reportButton] = /** @type {HTMLElement[]} */ ([...row.children]);
    setText(note, RELATIONS[relation] ?? "");
    reportButton.hidden = !report || relation === "self" || name === you;
    button.hidden = !action || Boolean(data?.isGuest);
    setText(button.children[0], action === "accept" ? WORDS.accept : WORDS.ask);
    button.onclick = () => action && act(action, name, byId("people-done"));
  }

  /** @param {string} id @param {string[]} names @param {string} none the id of the words for an empty list */
  function drawList(id, names, none) {
    reconcile(byId(id), names, String, createRowOfPerson, drawRow);
    byId(none).hidden = names.length > 0;
  }

  function drawInvitable() {
    const people = data?.invitable ?? [];
    byId("invite-people").hidden = !people.length;
    reconcile(
      byId("invite-people-list"),
      people,
      ({ name }) => name,
      ({ name }) => createRow(name),
      (row, { name, is_here, is_invited }) => {
        const [, note, button] = /** @type {HTMLElement[]} */ ([...row.children]);
        setText(note, is_invited ? WORDS.invited : is_here ? WORDS.here : "");
        button.hidden = is_invited;
        setText(button.children[0], WORDS.invite);
        button.onclick = () => act("invite", name, byId("invite-people-done"));
      },
    );
  }

  function draw() {
    if (!view) return;
    const { table, present } = view;
    const seated = table.seats.flatMap(({ player }) => (player === null ? [] : [player]));
    const watching = present.filter((name) => !seated.includes(name));
    const strangers = Math.max(0, table.watchers - watching.length);
    drawList("people-seated", seated, "people-no-seats");
    drawList("people-watching", watching, "people-no-watchers");
    byId("people-no-watchers").hidden = watching.length > 0 || strangers > 0;
    setText(byId("people-strangers"), strangers ? WORDS.strangers(strangers) : "");
    const count = byId("watcher-count");
    count.hidden = !table.watchers;
    setText(count, String(table.watchers));
    count.title = table.watchers ? WORDS.watching(table.watchers) : "";
    if (hasInvites) drawInvitable();
  }

  return {
    /** @param {Table} table @param {string[]} present @param {string|null} player the reader */
    draw(table, present, player) {
      view = { table, present };
      you = player;
      draw();
    },
  };
}
