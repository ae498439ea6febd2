"""Events of a table as text for operators.

Unlike the replay of a finished round it uses only the event itself, so it also works for a round in
play.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.lib.money import format_money
from accounts.lib.names import isolated
from tables.texts.cards import format_card
from tables.texts.outcomes import format_outcome

_SENTENCES: Final[dict[str, str | Promise]] = {
    "card_dealt": _("%(who)s gets %(card)s."),
    "dealer_card_dealt": _("The dealer gets %(card)s."),
    "dealer_card_dealt/down": _("The dealer gets a card, face down."),
    "hole_card_peeked": _("The dealer checks the hole card."),
    "hole_card_revealed": _("The dealer turns over %(card)s."),
    "hand_stood": _("%(who)s stands."),
    "hand_doubled": _("%(who)s doubles for %(stake)s more."),
    "hand_split": _("%(who)s splits for %(stake)s more."),
    "hand_settled": _("%(who)s: %(outcome)s."),
    "hand_settled/staked": _("%(who)s: %(outcome)s, bet %(stake)s, paid %(payout)s."),
    "insurance_answered": _("%(who)s has decided on insurance."),
    "insurance_taken": _("%(who)s insures for %(stake)s."),
    "insurance_declined": _("%(who)s declines insurance."),
    "insurance_settled": _("%(who)s's insurance: bet %(stake)s, paid %(payout)s."),
    "player_sat": _("%(player)s takes seat %(seat)s."),
    "player_left": _("%(player)s leaves seat %(seat)s: %(reason)s."),
    "player_away": _("%(player)s is away."),
    "player_back": _("%(player)s is back."),
    "queue_joined": _("%(player)s gets in line for a seat."),
    "queue_left": _("%(player)s is no longer in line: %(reason)s."),
    "queue_left/left": _("%(player)s leaves the line."),
    "queue_left/declined": _("%(player)s declines the seat and leaves the line."),
    "queue_left/new_invite": _("%(player)s is no longer in line: the invite link was renewed."),
    "seat_offered": _("Seat %(seat)s is offered to %(player)s."),
    "offer_lapsed": _("%(player)s didn't take seat %(seat)s in time and is no longer in line."),
    "bet_placed": _("%(who)s is in."),
    "bet_placed/staked": _("%(who)s bets %(stake)s."),
    "bet_returned": _("%(who)s sits this one out."),
    "bet_returned/staked": _("%(who)s's bet of %(stake)s is returned."),
    "bet_behind_placed": _("%(player)s bets %(stake)s behind seat %(seat)s."),
    "bet_behind_returned": _("%(player)s's bet of %(stake)s behind seat %(seat)s is returned."),
    "bet_behind_raised": _("%(player)s's bet behind seat %(seat)s is raised by %(stake)s."),
    "bet_behind_settled": _(
        "%(player)s's bet behind seat %(seat)s: bet %(stake)s, paid %(payout)s."
    ),
    "clock_ran_out": _("Time ran out: betting is closed."),
    "clock_ran_out/seat": _("Time ran out for %(who)s."),
    "time_bank_started": _("The time bank of %(who)s runs."),
    "plan_played": _("%(who)s has decided ahead: %(plan)s."),
    "clock_extended": _("The server was restarted, so the clock starts again."),
    "shoe_sealed": _("Shoe %(shoe)s is sealed."),
    "shoe_sealed/numbered": _("Shoe %(number)s (id %(shoe)s) is sealed."),
    "words_committed": _("%(who)s commits to words for the shuffle."),
    "shoe_shuffled": _("Shoe %(shoe)s is shuffled."),
    "shoe_shuffled/numbered": _("Shoe %(number)s (id %(shoe)s) is shuffled."),
    "shoe_opened": _("The secret of shoe %(shoe)s is revealed."),
    "shoe_opened/numbered": _("The secret of shoe %(number)s (id %(shoe)s) is revealed."),
    "round_broken_off": _("Round %(round)s is cancelled and every bet is returned: %(because)s"),
    "round_broken_off/numbered": _(
        "Round %(number)s (id %(round)s) is cancelled and every bet is returned: %(because)s"
    ),
    "round_voided": _("Round %(round)s is voided."),
    "round_voided/numbered": _("Round %(number)s (id %(round)s) is voided."),
    "table_locked": _("The table is locked."),
    "table_unlocked": _("The table is unlocked."),
    "chat_switched": _("The chat is turned off."),
    "chat_switched/on": _("The chat is turned on."),
    "hints_allowed": _("Hints are no longer allowed."),
    "hints_allowed/on": _("Hints are allowed."),
    "hints_switched": _("%(player)s turns hints off."),
    "hints_switched/on": _("%(player)s turns hints on."),
    "sit_out_switched": _("%(player)s is back in."),
    "sit_out_switched/on": _("%(player)s sits out."),
    "top_up_asked": _("%(player)s asks the host for another stack."),
    "topped_up": _("%(player)s gets another stack of table chips."),
    "invite_renewed": _("A new invite link was created."),
    "table_handed_on": _("%(player)s is the table host now."),
    "player_banned": _("The host bans %(player)s."),
    "ban_lifted": _("The host takes the ban of %(player)s back."),
    "table_paused": _("The table is paused: “%(because)s”"),
    "table_paused/host": _("%(player)s pauses the table."),
    "table_resumed": _("The table is resumed."),
    "table_resumed/host": _("%(player)s resumes the table."),
    "table_changed": _("The table is changed."),
    "table_changed/host": _("%(player)s changes the settings of the table."),
    "table_changing/on": _("%(player)s changes the settings after this round."),
    "table_changing": _("%(player)s leaves the settings as they are."),
    "table_closing": _("This round is the last one."),
    "table_kept_open": _("The table stays open after this round."),
    "table_kept_open/host": _("%(player)s keeps the table open after this round."),
    "table_closed": _("The table is closed."),
    "match_started": _("The match begins."),
    "match_round_ended": _("Round %(number)s of the match is over."),
    "match_ended": _("The match is over here."),
    "cards_collected/player": _("The player's pile gets %(cards)s cards."),
    "cards_collected/house": _("The dealer's pile gets %(cards)s cards."),
    "cards_collected/discard": _("The discard pile gets %(cards)s cards."),
    "game_ended": _("The game is over, %(player)s cards to %(house)s."),
}

_REASONS: Final[dict[str, str | Promise]] = {
    "left": _("left the table"),
    "missed_rounds": _("missed two rounds"),
    "sat_out": _("sat out too long"),
    "absent": _("was disconnected"),
    "no_answer": _("did not answer in time"),
    "freed": _("freed by the host"),
    "banned": _("banned by the host"),
    "closed": _("the table is closed"),
    "idle": _("no bet for several minutes"),
    "fewer_seats": _("the table has fewer seats"),
    "out_of_match": _("out of the match"),
    "match": _("a match has begun"),
}


PLANS: Final[dict[str, str | Promise]] = {
    "stand": _("stand"),
    "hit_to_17": _("hit to hard 17"),
    "best": _("best play"),
}


def format_event(event: Mapping[str, Any]) -> str:
    """The sentence of an event; for an unknown event, its name."""
    sentence = _SENTENCES.get(_sentence_key(event))
    if sentence is None:
        return str(event["type"]).replace("_", " ")
    facts = {name: _format_value(name, value) for name, value in event.items()}
    return str(sentence % {**facts, "who": _player_name(event)})


def _sentence_key(event: Mapping[str, Any]) -> str:
    """The key of the event's sentence."""
    kind = str(event["type"])
    is_so = {
        "down": "card" in event and event["card"] is None,
        "seat": event.get("seat") is not None,
        "staked": bool(event.get("stake")),
        "on": bool(event.get("on")),
        "host": bool(event.get("player")),
        "numbered": event.get("number") is not None,
        str(event.get("pile")): True,
        str(event.get("reason")): True,
    }
    return next(
        (
            f"{kind}/{how}"
            for how, holds in is_so.items()
            if holds and f"{kind}/{how}" in _SENTENCES
        ),
        kind,
    )


def _player_name(event: Mapping[str, Any]) -> str:
    seat = gettext("Seat %(seat)s") % {"seat": event.get("seat")}
    if (event.get("hand") or 1) == 1:
        return seat
    return gettext("%(seat)s, hand %(hand)s") % {"seat": seat, "hand": event["hand"]}


def _format_value(name: str, value: Any) -> str:
    if value is None:
        return ""
    match name:
        case "card":
            return format_card(value)
        case "stake" | "payout":
            return format_money(value)
        case "outcome":
            return format_outcome(value)
        case "player" if isinstance(value, str):
            return isolated(value)
        case "plan":
            return str(PLANS.get(value, value))
        case "reason":
            return str(_REASONS.get(value, value))
        case _:
            return str(value)
