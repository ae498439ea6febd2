"""The part of a round's page that plays the round again with another decision of its player."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext_lazy as _

from tables.engine.actions import Action
from tables.engine.cards import format_cards
from tables.engine.errors import RuleViolation
from tables.engine.player_hand import PlayerHand
from tables.engine.round import Round as EngineRound
from tables.models import Round
from tables.models.grades import MILLIONTHS
from tables.records import what_if
from tables.records.hand_view import PlayedCard, PlayedHand, parse_played_cards
from tables.records.skill.graded_round import format_value
from tables.records.what_if import Choice, DealtRound, WhatIf
from tables.texts.totals import Total

LABELS: Final = {
    Action.HIT: _("Hit"),
    Action.STAND: _("Stand"),
    Action.DOUBLE_DOWN: _("Double"),
    Action.SPLIT: _("Split"),
    Action.SURRENDER: _("Surrender"),
    Action.INSURE: _("Insure"),
    Action.DECLINE: _("No insurance"),
}
SENTENCES: Final = {
    Action.HIT: _("You hit."),
    Action.STAND: _("You stood."),
    Action.DOUBLE_DOWN: _("You doubled."),
    Action.SPLIT: _("You split."),
    Action.SURRENDER: _("You surrendered."),
    Action.INSURE: _("You took insurance."),
    Action.DECLINE: _("You took no insurance."),
}
HEADINGS: Final = {
    Action.HIT: _("If you had hit"),
    Action.STAND: _("If you had stood"),
    Action.DOUBLE_DOWN: _("If you had doubled"),
    Action.SPLIT: _("If you had split"),
    Action.SURRENDER: _("If you had surrendered"),
    Action.INSURE: _("If you had taken insurance"),
    Action.DECLINE: _("If you had taken no insurance"),
}
EQUAL: Final = 1e-9


@dataclass(frozen=True, slots=True)
class OtherAction:
    key: str
    """For the query: the number of the decision, and the action."""
    label: str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """A decision of the viewer."""

    cards: tuple[PlayedCard, ...]
    total: Total
    up: PlayedCard
    done: str
    others: tuple[OtherAction, ...]


@dataclass(frozen=True, slots=True)
class ValueView:
    """What an action was worth."""

    label: str
    value: str
    money: int | None
    """For the stake of the hand, in hundredths; ``None`` without stakes."""
    is_best: bool
    is_done: bool
    is_shown: bool


@dataclass(frozen=True, slots=True)
class OutcomeView:
    """The round with the other decision."""

    heading: str
    hands: tuple[PlayedHand, ...]
    dealer: tuple[PlayedCard, ...]
    dealer_total: Total
    later: tuple[str, ...]
    """The decisions of the viewer's hands after it, in words."""
    net: int | None
    real_net: int | None
    """In hundredths; ``None`` without stakes."""
    values: tuple[ValueView, ...]
    """The best first; empty where they cannot be told."""

    @property
    def change(self) -> int:
        return (self.net or 0) - (self.real_net or 0)


@dataclass(frozen=True, slots=True)
class WhatIfPage:
    choices: tuple[ChoiceView, ...]
    outcome: OutcomeView | None
    """For the action that was asked for."""
    has_too_few_cards: bool
    """Whether the shoe would have had too few cards for it."""
    unit: str
    """``bets``, ``hands``, or ``cards`` of the piles."""


def build_what_if(row: Round, seat: int | None, key: str) -> WhatIfPage | None:
    """The decisions of the viewer's ``seat`` in a round of a retired shoe, and the outcome of the
    one that is ``key``, such as ``2-hit``; ``None`` where there is nothing to change.
    """
    dealt = what_if.deal_again(row) if seat is not None else None
    if seat is None or dealt is None:
        return None
    choices = list(what_if.list_choices(dealt, seat))
    if not choices:
        return None
    option = next(
        ((one, action) for one in choices for action in one.others if _key(one, action) == key),
        None,
    )
    outcome = None
    if option is not None:
        try:
            outcome = what_if.play_otherwise(dealt, *option)
        except RuleViolation:
            outcome = None
    rules = dealt.rules
    return WhatIfPage(
        choices=tuple(_build_choice(one, key) for one in choices),
        outcome=_build_outcome(dealt, outcome, seat) if outcome else None,
        has_too_few_cards=option is not None and outcome is None,
        unit="cards" if rules.has_piles else "bets" if rules.stakes else "hands",
    )


def _key(choice: Choice, action: Action) -> str:
    return f"{choice.number}-{action}"


def _build_choice(choice: Choice, key: str) -> ChoiceView:
    hand = choice.hand.hand
    return ChoiceView(
        cards=parse_played_cards(str(hand)),
        total=Total.of(hand),
        up=parse_played_cards(str(choice.up))[0],
        done=str(SENTENCES[choice.made.action]),
        others=tuple(
            OtherAction(_key(choice, action), str(LABELS[action]), _key(choice, action) == key)
            for action in choice.others
        ),
    )


def _build_outcome(dealt: DealtRound, outcome: WhatIf, seat: int) -> OutcomeView:
    final = outcome.final
    has_stakes = dealt.rules.stakes is not None
    return OutcomeView(
        heading=str(HEADINGS[outcome.action]),
        hands=tuple(_build_hand(final, seat, hand) for hand in final.seats[seat]),
        dealer=parse_played_cards(format_cards(final.dealer.cards)),
        dealer_total=Total(final.dealer.total),
        later=tuple(str(LABELS[decision.action]) for decision in outcome.later),
        net=what_if.net_of(final, seat) if has_stakes else None,
        real_net=dealt.net(seat) if has_stakes else None,
        values=tuple(_iter_values(outcome, has_stakes=has_stakes)),
    )


def _build_hand(final: EngineRound, seat: int, hand: PlayerHand) -> PlayedHand:
    insurance = final.insurance.get(seat) if hand is final.seats[seat][0] else None
    return PlayedHand(
        cards=parse_played_cards(str(hand.hand)),
        total=hand.hand.total,
        outcome=hand.outcome.value if hand.outcome else "",
        is_doubled=hand.is_doubled,
        stake=hand.stake,
        payout=hand.payout,
        insurance_stake=insurance.stake if insurance else 0,
        insurance_payout=insurance.payout if insurance else 0,
    )


def _iter_values(outcome: WhatIf, *, has_stakes: bool) -> Iterator[ValueView]:
    choice, decision = outcome.choice, outcome.decision
    if decision is None:
        return
    values = dict(decision.values)
    if choice.made.action.is_about_insurance:
        insurance = decision.insurance or 0.0
        values = {Action.INSURE: insurance, Action.DECLINE: 0.0}
        values = dict(sorted(values.items(), key=lambda one: -one[1]))
    best = max(values.values())
    for action, value in values.items():
        yield ValueView(
            label=str(LABELS[action]),
            value=format_value(round(value * MILLIONTHS)),
            money=round(value * choice.hand.stake) if has_stakes else None,
            is_best=best - value < EQUAL,
            is_done=action is choice.made.action,
            is_shown=action is outcome.action,
        )
