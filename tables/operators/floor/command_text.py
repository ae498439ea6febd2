"""Commands of players and operators at a table as text for operators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.lib.money import format_money
from accounts.lib.names import isolated
from tables.operators.floor.event_text import PLANS
from tables.protocol import codec

SENTENCES: Final[Mapping[str, str | Promise]] = {
    "sit": _("take seat %(seat)s"),
    "commit": _("commit to words for the shuffle"),
    "leave": _("leave the table"),
    "queue_up": _("get in line"),
    "leave_queue": _("leave the line"),
    "hints": _("turn hints off"),
    "hints/on": _("turn hints on"),
    "top_up": _("take another stack"),
    "ask_top_up": _("ask for another stack"),
    "sit_out": _("be back in"),
    "sit_out/on": _("sit out"),
    "bet": _("be in"),
    "bet/staked": _("bet %(stake)s"),
    "take_back": _("take the bet back"),
    "bet_behind": _("bet %(stake)s behind seat %(seat)s"),
    "take_back_behind": _("take the bet behind back"),
    "decide_ahead": _("take the plan back"),
    "decide_ahead/plan": _("decide ahead: %(plan)s"),
    "hit": _("hit"),
    "stand": _("stand"),
    "double": _("double"),
    "split": _("split"),
    "surrender": _("surrender"),
    "insure": _("insure"),
    "decline": _("decline insurance"),
    "lock": _("unlock the table"),
    "lock/on": _("lock the table"),
    "chat": _("turn the chat off"),
    "chat/on": _("turn the chat on"),
    "allow_hints": _("allow no hints"),
    "allow_hints/on": _("allow hints"),
    "pause": _("resume the table"),
    "pause/on": _("pause the table"),
    "renew": _("renew the invite link"),
    "hand_on": _("make %(player)s the host"),
    "free": _("free seat %(seat)s"),
    "give_stack": _("give another stack to seat %(seat)s"),
    "ban": _("lift the ban of %(player)s"),
    "ban/on": _("ban %(player)s"),
    "close": _("close the table"),
    "start_match": _("start the match"),
    "say": _("write in the chat"),
    "unsay": _("remove a line of the chat"),
    "silence": _("unmute %(player)s"),
    "silence/on": _("mute %(player)s"),
    "react": _("react"),
}
"""By the command's name on the wire; after the slash, for a value that it has."""


def format_command(command: str) -> str:
    """The words of a stored command, which is JSON; of an unknown one its name; empty without one."""
    if not command:
        return ""
    data = codec.decode_state(command)
    name = str(data["t"])
    is_so = {"on": data.get("on"), "staked": data.get("stake"), "plan": data.get("plan")}
    key = next((f"{name}/{of}" for of in is_so if is_so[of] and f"{name}/{of}" in SENTENCES), name)
    sentence = SENTENCES.get(key)
    if sentence is None:
        return name.replace("_", " ")
    return str(sentence) % {part: _format_value(part, value) for part, value in data.items()}


def _format_value(part: str, value: Any) -> str:
    if part == "stake" and isinstance(value, int):
        return format_money(value)
    if part == "player":
        return isolated(str(value))
    return str(PLANS.get(value, value)) if part == "plan" else str(value)
