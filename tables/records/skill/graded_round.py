"""The grade of a round for the page of its player: each decision with its cost, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from django.utils.formats import number_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.lib.money import format_money
from tables.engine.actions import Action
from tables.engine.cards import Card, parse_cards
from tables.engine.hand import Hand
from tables.engine.rules import Ruleset
from tables.models import Grade, Result, Round
from tables.models.grades import MILLIONTHS, DamagedDecisions, DecidedBy, GradedDecision
from tables.records.replay import Replay
from tables.results import grades
from tables.texts.totals import Total, total_words

MINUS: Final = "\N{MINUS SIGN}"
ABOUT: Final = "\N{ALMOST EQUAL TO}"
SMALL: Final = 1_000
"""Costs below so many millionths are shown with more decimals."""

_NAMES: Final = {
    Action.HIT: _("Hit"),
    Action.STAND: _("Stand"),
    Action.DOUBLE_DOWN: _("Double"),
    Action.SPLIT: _("Split"),
    Action.SURRENDER: _("Surrender"),
    Action.INSURE: _("Insure"),
    Action.DECLINE: _("No insurance"),
}
_ACTION_TEXTS: Final = {
    Action.HIT: _("Hitting %(total)s against %(up)s"),
    Action.STAND: _("Standing on %(total)s against %(up)s"),
    Action.DOUBLE_DOWN: _("Doubling %(total)s against %(up)s"),
    Action.SPLIT: _("Splitting %(pair)s against %(up)s"),
    Action.SURRENDER: _("Surrendering %(total)s against %(up)s"),
    Action.INSURE: _("Taking insurance with %(total)s"),
    Action.DECLINE: _("Declining insurance with %(total)s"),
}
_UP_CARDS: Final = {
    1: _("an ace"), 2: _("a 2"), 3: _("a 3"), 4: _("a 4"), 5: _("a 5"), 6: _("a 6"), 7: _("a 7"),
    8: _("an 8"), 9: _("a 9"), 10: _("a 10"),
}  # fmt: skip
_PAIRS: Final = {
    1: _("two aces"), 2: _("two 2s"), 3: _("two 3s"), 4: _("two 4s"), 5: _("two 5s"),
    6: _("two 6s"), 7: _("two 7s"), 8: _("two 8s"), 9: _("two 9s"), 10: _("two 10s"),
}  # fmt: skip
_BY_CLOCK: Final = _("Time ran out, which counts as your decision.")
_BY_LEAVING: Final = _("You left, which counts as your decision.")
_BY_SERVER: Final = _("The dealer decided for you, so it does not count as your mistake.")


@dataclass(frozen=True, slots=True)
class OptionView:
    """A legal action and its value."""

    name: str
    value: str
    is_best: bool
    is_done: bool


@dataclass(frozen=True, slots=True)
class DecisionView:
    """A decision for its player."""

    step: int | None
    """The step of the replay that shows it."""
    sentence: str
    note: str
    """Who decided for the player; empty if nobody did, or where it makes no difference."""
    cost: str
    """What it cost: an amount, or a part of the hand without stakes; empty without values."""
    is_best: bool
    options: tuple[OptionView, ...]


@dataclass(frozen=True, slots=True)
class PartsView:
    """The parts of the net, in hundredths."""

    expectation: int
    luck: int
    mistakes: int
    """What decisions cost, as a negative amount."""


@dataclass(frozen=True, slots=True)
class GradeView:
    """The grade of the viewer's round."""

    is_waiting: bool
    decisions: tuple[DecisionView, ...] = ()
    parts: PartsView | None = None
    """Of a round with stakes."""
    unit: str = ""
    """What the values of the options are in."""

    def at_step(self, step: int) -> DecisionView | None:
        """The decision that this step of the replay shows."""
        return next((one for one in self.decisions if one.step == step), None)


def build_grade(round_: Round, viewer_id: int, seat: int, replay: Replay) -> GradeView | None:
    """The viewer's grade of the round; ``None`` if it has none."""
    grade = Grade.objects.filter(result__round=round_, user=viewer_id).first()
    if grade is None:
        return GradeView(is_waiting=True) if _is_waiting(round_, viewer_id) else None
    if grade.fault:
        return None
    try:
        decisions = grade.list_decisions()
    except DamagedDecisions:
        return None
    rules = round_.rules
    up = parse_cards(round_.dealer_cards)[1 - rules.hole_position]
    return GradeView(
        is_waiting=False,
        decisions=build_decisions(rules, up, decisions, _list_steps(replay, seat)),
        parts=PartsView(grade.expectation, grade.luck, -grade.money_cost) if rules.stakes else None,
        unit=_describe_unit(rules),
    )


def _is_waiting(round_: Round, viewer_id: int) -> bool:
    """Whether the viewer has played in the round, and it has no grades yet."""
    own = Result.objects.own().filter(round=round_, user=viewer_id)
    return grades.filter_waiting(own).exists()


def _list_steps(replay: Replay, seat: int) -> list[int]:
    """The steps with the decisions of this seat."""
    return [
        number
        for number, step in enumerate(replay.steps)
        if step.by is not None and step.event.get("seat") == seat
    ]


def build_decisions(
    rules: Ruleset, up: Card, decisions: Sequence[GradedDecision], steps: Sequence[int] = ()
) -> tuple[DecisionView, ...]:
    """Decisions for their player. ``steps`` are the steps of the replay that show them, if known."""
    return tuple(_iter_decisions(rules, up, decisions, steps))


def _iter_decisions(
    rules: Ruleset, up: Card, decisions: Sequence[GradedDecision], steps: Sequence[int]
) -> Iterator[DecisionView]:
    is_split = False
    for place, one in enumerate(decisions):
        sentence = _format_sentence(rules, up, one)
        if is_split:
            words = {"number": one.hand, "sentence": sentence}
            sentence = gettext("Hand %(number)s: %(sentence)s") % words
        is_split = is_split or one.action == Action.SPLIT
        yield DecisionView(
            step=steps[place] if len(steps) == len(decisions) else None,
            sentence=sentence,
            note=_describe_author(one),
            cost=_format_signed_cost(rules, one),
            is_best=bool(one.values) and not one.cost,
            options=tuple(_iter_options(one)),
        )


def _describe_author(decision: GradedDecision) -> str:
    if decision.by is DecidedBy.CLOCK and decision.values:
        return str(_BY_CLOCK)
    if decision.by is DecidedBy.LEFT and decision.values:
        return str(_BY_LEAVING)
    return str(_BY_SERVER) if decision.by is DecidedBy.SERVER and decision.cost else ""


def _iter_options(decision: GradedDecision) -> Iterator[OptionView]:
    best = max(decision.values.values(), default=0)
    for action, value in decision.values.items():
        yield OptionView(
            name=str(_NAMES[Action(action)]),
            value=format_value(value),
            is_best=value == best,
            is_done=action == decision.action,
        )


def _format_sentence(rules: Ruleset, up: Card, decision: GradedDecision) -> str:
    action = _describe_action(up, decision)
    if not decision.values:
        sentence = gettext("%(did)s has no exact value: the shoe could have run out.")
        return sentence % {"did": action}
    if not decision.cost:
        return gettext("%(did)s was right.") % {"did": action}
    words = {"did": action, "cost": format_share(decision.cost)}
    if rules.has_piles:
        return gettext("%(did)s cost %(cost)s cards.") % words
    if rules.stakes is None:
        return gettext("%(did)s cost %(cost)s hands.") % words
    words["money"] = format_money(decision.money_cost)
    return gettext("%(did)s cost %(cost)s bets: %(money)s.") % words


def _describe_action(up: Card, decision: GradedDecision) -> str:
    cards = parse_cards(decision.cards)
    return str(
        _ACTION_TEXTS[Action(decision.action)]
        % {
            "total": total_words(Total.of(Hand.from_cards(cards))),
            "pair": _PAIRS[cards[0].hard_points],
            "up": _UP_CARDS[up.hard_points],
        }
    )


def _format_signed_cost(rules: Ruleset, decision: GradedDecision) -> str:
    if not decision.values:
        return ""
    if rules.stakes is None:
        return f"{MINUS}{format_share(decision.cost)}"
    # A cost below half a hundredth is one as well.
    return format_money(-decision.money_cost) if decision.money_cost else f"{ABOUT} 0"


def get_action_name(action: str) -> str:
    """The name of an action, as on its button."""
    return str(_NAMES[Action(action)])


def format_cost(rules: Ruleset, decisions: Sequence[GradedDecision]) -> str:
    """What these decisions cost together: an amount, or without stakes a number of cards or hands."""
    if rules.stakes is not None:
        money = sum(decision.money_cost for decision in decisions)
        return format_money(money) if money else f"{ABOUT} 0"
    words = {"cost": format_share(sum(decision.cost for decision in decisions))}
    text = gettext("%(cost)s cards") if rules.has_piles else gettext("%(cost)s hands")
    return text % words


def _describe_unit(rules: Ruleset) -> str:
    if rules.has_piles:
        return gettext("Values are cards by which the piles will differ, on average.")
    if rules.stakes is None:
        return gettext("Values are hands won less hands lost, on average.")
    return gettext("Values are bets won or lost, on average.")


def format_share(millionths: int) -> str:
    """A part of a stake with three decimals, or six if it is very small.

    >>> format_share(4_000), format_share(12)
    ('0.004', '0.000012')
    """
    places = 6 if 0 < abs(millionths) < SMALL else 3
    return _format_number(millionths, places)


def format_value(millionths: int) -> str:
    """A value with its sign, and three decimals: ``+0.125``."""
    number = _format_number(abs(millionths), 3)
    if not any(digit in number for digit in "123456789"):
        return number
    return (MINUS if millionths < 0 else "+") + number


def _format_number(millionths: int, places: int) -> str:
    # Django cuts the decimals off, and does not round them.
    return str(number_format(Decimal(f"{millionths / MILLIONTHS:.{places}f}"), places))
