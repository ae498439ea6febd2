/** The names of actions, as on their buttons. */
import { gettext } from "../lib/i18n.js";

/** @type {Record<Wire.Action, string>} */
export const ACTION_NAMES = {
  hit: gettext("Hit"),
  stand: gettext("Stand"),
  double: gettext("Double"),
  split: gettext("Split"),
  surrender: gettext("Surrender"),
  insure: gettext("Insure"),
  decline: gettext("No insurance"),
};
