"""Steps of a replay as sentences for one reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from accounts.lib.money import format_money
from accounts.lib.names import isolated
from tables.engine.events import Outcome
from tables.engine.rules import Ruleset, Tie
from tables.models.grades import DecidedBy
from tables.records.hand_view import parse_played_cards
from tables.records.replay import ReplayStep
from tables.texts.totals import total_words

# Of two sentences the first is for its player, and the second for all others.

_ABOUT_PLAYERS: Final = {
    "card_dealt": (
        _("You get the %(card)s: %(total)s."),
        _("%(who)s gets the %(card)s: %(total)s."),
    ),
    "hit": (
        _("You hit and get the %(card)s: %(total)s."),
        _("%(who)s hits and gets the %(card)s: %(total)s."),
    ),
    "hand_stood": (_("You stand on %(total)s."), _("%(who)s stands on %(total)s.")),
    "hand_stood/clock": (
        _("Time ran out for you: your hand stands on %(total)s."),
        _("Time ran out for %(who)s: the hand stands on %(total)s."),
    ),
    "hand_stood/house": (
        _("You had left: your hand stands on %(total)s."),
        _("%(who)s had left: the hand stands on %(total)s."),
    ),
    "hand_doubled": (
        _("You double for %(stake)s more."),
        _("%(who)s doubles for %(stake)s more."),
    ),
    "hand_split": (_("You split for %(stake)s more."), _("%(who)s splits for %(stake)s more.")),
    "surrender": (
        _("You surrender and get %(payout)s back."),
        _("%(who)s surrenders and gets %(payout)s back."),
    ),
    "insurance_taken": (_("You insure for %(stake)s."), _("%(who)s insures for %(stake)s.")),
    "insurance_declined": (_("You decline insurance."), _("%(who)s declines insurance.")),
    "insurance_declined/clock": (
        _("Time ran out for you: no insurance."),
        _("Time ran out for %(who)s: no insurance."),
    ),
    "insurance_declined/house": (
        _("You had left: insurance is declined."),
        _("%(who)s had left: insurance is declined."),
    ),
    "insurance_paid": (
        _("Your insurance pays %(net)s."),
        _("%(who)s's insurance pays %(net)s."),
    ),
    "insurance_lost": (
        _("Your insurance loses: %(net)s."),
        _("%(who)s's insurance loses: %(net)s."),
    ),
    "blackjack": (
        _("You have blackjack and win %(net)s."),
        _("%(who)s has blackjack and wins %(net)s."),
    ),
    "win": (_("You win."), _("%(who)s wins.")),
    "win/staked": (_("You win %(net)s."), _("%(who)s wins %(net)s.")),
    "push": (_("You push."), _("%(who)s pushes.")),
    "push/tie": (_("You tie."), _("%(who)s ties.")),
    "bust": (_("You bust with %(total)s."), _("%(who)s busts with %(total)s.")),
    "bust/staked": (
        _("You bust with %(total)s and lose %(net)s."),
        _("%(who)s busts with %(total)s and loses %(net)s."),
    ),
    "lose": (_("You lose."), _("%(who)s loses.")),
    "lose/staked": (_("You lose %(net)s."), _("%(who)s loses %(net)s.")),
    "lose/tie": (
        _("You lose %(net)s: the dealer wins ties."),
        _("%(who)s loses %(net)s: the dealer wins ties."),
    ),
    "player_collected": (
        _("Your pile gets %(cards)s."),
        _("%(who)s's pile gets %(cards)s."),
    ),
    "player_won_game": (
        _("The game is over. You win %(player)s cards to %(house)s."),
        _("The game is over. %(who)s wins %(player)s cards to %(house)s."),
    ),
}

_ABOUT_NO_PLAYER: Final = {
    "dealer_card_dealt": _("The dealer takes the %(card)s: %(total)s."),
    "dealer_card_dealt/down": _("The dealer takes a card, face down."),
    "hole_card_peeked": _("The dealer checks the hole card: no blackjack."),
    "hole_card_peeked/no_21": _("The dealer checks the hole card: no 21."),
    "hole_card_revealed": _("The dealer turns over the %(card)s: %(total)s."),
    "house_collected": _("The dealer's pile gets %(cards)s."),
    "discard_collected": _("Tie. The discard pile gets %(cards)s."),
    "house_won_game": _("The game is over. The dealer wins %(house)s cards to %(player)s."),
    "draw_won_game": _("The game is over. It is a draw, %(player)s cards each."),
}


@dataclass(frozen=True, slots=True)
class Reader:
    """The reader of a replay, and the names that the reader may see."""

    rules: Ruleset
    seat: int | None
    """Their own."""
    names: Mapping[int, str]
    """The players that they may know, by seat."""

    def name_seat(self, seat: int) -> str:
        """The name of a player for this reader."""
        name = self.names.get(seat)
        return isolated(name) if name else gettext("Seat %(number)s") % {"number": seat}


def format_step(step: ReplayStep, reader: Reader) -> str:
    """Format a step as a sentence."""
    if step.kind == "bets":
        return _format_bets(step, reader)
    kind = _sentence_key(step, reader.rules)
    if kind in _ABOUT_NO_PLAYER:
        return str(_ABOUT_NO_PLAYER[kind] % _format_values(step))
    # A game of piles has one seat, and its events do not name it.
    seat = step.event.get("seat", 1)
    sentence = _ABOUT_PLAYERS[kind][seat != reader.seat] % (
        _format_values(step) | {"who": reader.name_seat(seat)}
    )
    if step.hand is None:
        return str(sentence)
    return gettext("Hand %(number)s: %(sentence)s") % {"number": step.hand, "sentence": sentence}


def _sentence_key(step: ReplayStep, rules: Ruleset) -> str:
    """The key of the step's sentence."""
    event = step.event
    if step.kind == "hand_settled":
        return _format_outcome(step, rules)
    if step.kind == "insurance_settled":
        return "insurance_paid" if event["payout"] else "insurance_lost"
    if step.kind == "cards_collected":
        return f"{event['pile']}_collected"
    if step.kind == "game_ended":
        return f"{event['winner']}_won_game"
    if step.kind == "dealer_card_dealt" and event["card"] is None:
        return "dealer_card_dealt/down"
    if step.kind == "hole_card_peeked" and rules.natural_pays is None:
        return "hole_card_peeked/no_21"
    if step.by in (DecidedBy.CLOCK, DecidedBy.SERVER):
        return f"{step.kind}/{step.by}"
    return step.kind


def _format_outcome(step: ReplayStep, rules: Ruleset) -> str:
    outcome: str = step.event["outcome"]
    if outcome == Outcome.LOSE and rules.tie is Tie.DEALER_WINS and step.total == step.dealer_total:
        return "lose/tie"
    if outcome == Outcome.PUSH and rules.has_piles:
        return "push/tie"
    is_staked = bool(step.event["stake"])
    return f"{outcome}/staked" if is_staked and f"{outcome}/staked" in _ABOUT_PLAYERS else outcome


def _format_values(step: ReplayStep) -> dict[str, Any]:
    event = step.event
    values = {**event, "total": total_words(step.total)}
    if event.get("card"):
        values["card"] = parse_played_cards(event["card"])[0].name
    if step.kind == "cards_collected":
        text = ngettext("%(number)s card", "%(number)s cards", event["cards"])
        values["cards"] = text % {"number": event["cards"]}
    if "stake" in event:
        values["stake"] = format_money(event["stake"])
    if "payout" in event:
        values["payout"] = format_money(event["payout"])
        values["net"] = format_money(abs(event["payout"] - event["stake"]))
    return values


def _format_bets(step: ReplayStep, reader: Reader) -> str:
    bets: list[tuple[int, int]] = step.event["bets"]
    bets_text = ", ".join(_format_bet(seat, stake, reader) for seat, stake in bets)
    if reader.rules.stakes is None:
        sentence = gettext("Dealt in: %(names)s.") % {"names": bets_text}
    else:
        sentence = gettext("Bets from %(bets)s.") % {"bets": bets_text}
    if step.by is DecidedBy.CLOCK:
        reason = gettext("Time ran out: betting is closed.")
        return f"{reason} {sentence}" if reader.rules.stakes else sentence
    return sentence


def _format_bet(seat: int, stake: int, reader: Reader) -> str:
    who = gettext("you") if seat == reader.seat else reader.name_seat(seat)
    if not stake:
        return who
    return gettext("%(who)s (%(stake)s)") % {"who": who, "stake": format_money(stake)}
