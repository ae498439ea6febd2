"""The value of a game in words, and its chart for a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from tables.engine.rules import Ruleset
from tables.odds.charts import ACTIONS, UP_CARDS, Chart
from tables.odds.games import Game

FACES: Final = {"T": "10"}
"""The cards that a chart writes otherwise than its codes."""
EVEN: Final = 0.00005
"""An edge below half of the last decimal place that is shown is none."""


@dataclass(frozen=True, slots=True)
class ChartCell:
    """What to do with one hand against one up card."""

    code: str
    """``H`` ``S`` ``Dh`` ``Ds`` ``P`` ``Rh`` ``Rs`` ``Rp``"""
    words: str

    @property
    def action(self) -> str:
        """The first action of the code, for its colour."""
        return ACTIONS[self.code][0].value


@dataclass(frozen=True, slots=True)
class ChartRow:
    heading: str
    """As printed: ``16``, ``A 6`` or ``8 8``."""
    words: str
    """For screen readers: "soft 17"."""
    cells: tuple[ChartCell, ...]


@dataclass(frozen=True, slots=True)
class ChartPart:
    """One of the tables of a chart."""

    caption: str
    rows: tuple[ChartRow, ...]


@dataclass(frozen=True, slots=True)
class Chance:
    """How many of 100 rounds have a result."""

    result: str
    """``win`` ``tie`` ``lose``"""
    words: str
    number: float
    start: float
    """The sum of those before it, where its part of a bar begins."""


@dataclass(frozen=True, slots=True)
class OddsPage:
    """What a page says of the value of a game."""

    short: str
    """A few words: "Dealer's edge 0.33 %"."""
    sentences: tuple[str, ...]
    chances: tuple[Chance, ...]
    chances_of: str
    """Of what these are the chances: "of 100 rounds"."""
    up_cards: tuple[tuple[str, str], ...]
    """The columns: as printed, and in words."""
    parts: tuple[ChartPart, ...]
    legend: tuple[ChartCell, ...]
    """Each code of the chart with its words."""

    @property
    def has_otherwise(self) -> bool:
        """Whether a code has a second action, for hands that may not do the first."""
        return any(len(ACTIONS[cell.code]) > 1 for cell in self.legend)


def build_odds(rules: Ruleset, game: Game) -> OddsPage:
    """Everything that the rules page says of the value of ``rules``."""
    words = _words_of_codes()
    used_codes = {code for part in (game.chart.hard, game.chart.soft, game.chart.pairs)
                  for row in part.values() for code in row.values()}  # fmt: skip
    return OddsPage(
        short=describe_edge(rules, game),
        sentences=tuple(_sentences(rules, game)),
        chances=(
            Chance("win", _("won"), 100 * game.win, 0),
            Chance("tie", _("tied"), 100 * game.tie, 100 * game.win),
            Chance("lose", _("lost"), 100 * game.lose, 100 * (game.win + game.tie)),
        ),
        chances_of=_("of 100 hands") if rules.has_piles else _("of 100 rounds"),
        up_cards=tuple(_up_cards()),
        parts=tuple(_parts(game.chart, words)),
        legend=tuple(ChartCell(code, words[code]) for code in words if code in used_codes),
    )


def describe_edge(rules: Ruleset, game: Game) -> str:
    """The edge in a few words, for a line of a card or a dialog."""
    if abs(game.ev) < EVEN:
        return _("Dealer and player are even")
    if rules.stakes is not None:
        text = _("Dealer's edge %(edge)s") if game.ev < 0 else _("Player's edge %(edge)s")
        return text % {"edge": format_percent(abs(game.ev))}
    if rules.has_piles:
        text = _("Dealer wins %(number)s more hands of 100") if game.ev < 0 else _(
            "You win %(number)s more hands of 100"
        )  # fmt: skip
    else:
        text = _("Dealer wins %(number)s more rounds of 100") if game.ev < 0 else _(
            "You win %(number)s more rounds of 100"
        )  # fmt: skip
    return text % {"number": number_format(round(abs(100 * game.ev), 1), 1)}


def describe_cost(rules: Ruleset, cost: float) -> str:
    """What a change of the rules costs the player, in stakes or rounds; below 0 it is a gain."""
    if abs(cost) < EVEN:
        return _("no difference")
    if rules.stakes is not None:
        text = _("%(edge)s more for the dealer") if cost > 0 else _("%(edge)s more for you")
        return text % {"edge": format_percent(abs(cost))}
    if rules.has_piles:
        text = _("%(number)s more hands of 100 for the dealer") if cost > 0 else _(
            "%(number)s more hands of 100 for you"
        )  # fmt: skip
    else:
        text = _("%(number)s more rounds of 100 for the dealer") if cost > 0 else _(
            "%(number)s more rounds of 100 for you"
        )  # fmt: skip
    return text % {"number": number_format(round(abs(100 * cost), 2), 2)}


def format_percent(share: float) -> str:
    """A share in per cent with two decimal places: ``0.33 %``."""
    return f"{number_format(round(100 * share, 2), 2)}\N{NO-BREAK SPACE}%"


def _sentences(rules: Ruleset, game: Game) -> Iterator[str]:
    if rules.stakes is not None:
        yield from _sentences_of_stakes(game)
    elif rules.has_piles:
        yield _(
            "Cards are the score here, so the best play collects the most cards. That is not "
            "always the play that wins the most hands."
        )
        yield _(
            "The chances and the chart are those of the first hand of a full deck. Later hands "
            "depend on the cards that are left."
        )
        return
    else:
        yield _("Nothing is bet here, so each round counts the same.")
    yield _("These values are exact: computed from all cards, for one player and a fresh shoe.")
    if rules.max_hands > 1:
        yield _(
            "The shares of won, tied and lost rounds and the standard deviation are approximate "
            "where hands are split: as if these hands took no cards from each other."
        )


def _sentences_of_stakes(game: Game) -> Iterator[str]:
    edge = format_percent(abs(game.ev))
    if abs(game.ev) < EVEN:
        yield _("With the best play, dealer and player are even: on average a bet costs nothing.")
    elif game.ev < 0:
        yield _(
            "With the best play, a bet of 100 costs you %(cost)s on average: the dealer's edge is "
            "%(edge)s."
        ) % {"cost": number_format(round(-100 * game.ev, 2), 2), "edge": edge}
    else:
        yield _(
            "With the best play, a bet of 100 wins you %(gain)s on average: the edge of %(edge)s "
            "is yours."
        ) % {"gain": number_format(round(100 * game.ev, 2), 2), "edge": edge}
    by_chart = format_percent(abs(game.ev_total_dependent))
    if by_chart == edge:
        yield _("The chart below is as good as that, to the hundredth of a per cent.")
    elif game.ev_total_dependent < 0:
        yield _("If you play by the chart below, the dealer's edge is %(edge)s.") % {
            "edge": by_chart
        }
    else:
        yield _("If you play by the chart below, your edge is %(edge)s.") % {"edge": by_chart}
    yield _("Luck decides a single round: its standard deviation is %(deviation)s bets.") % {
        "deviation": number_format(round(game.sd, 2), 2)
    }


def _parts(chart: Chart, words: Mapping[str, str]) -> Iterator[ChartPart]:
    yield ChartPart(_("Hard totals"), tuple(_hard_rows(chart, words)))
    yield ChartPart(
        _("Soft totals: with an ace that counts 11"),
        tuple(
            ChartRow(
                f"A {int(total) - 11}",
                _("soft %(total)s") % {"total": total},
                _cells(codes, words),
            )
            for total, codes in chart.soft.items()
        ),
    )
    yield ChartPart(
        _("Pairs"),
        tuple(
            ChartRow(
                f"{(face := FACES.get(pair[0], pair[0]))} {face}",
                _("pair of %(card)s") % {"card": _("aces") if face == "A" else face},
                _cells(codes, words),
            )
            for pair, codes in chart.pairs.items()
        ),
    )


def _up_cards() -> Iterator[tuple[str, str]]:
    for letter in UP_CARDS:
        face = FACES.get(letter, letter)
        if face == "A":
            yield face, _("against an ace")
        else:
            yield face, _("against %(card)s") % {"card": face}


def _hard_rows(chart: Chart, words: Mapping[str, str]) -> Iterator[ChartRow]:
    """The rows of hard totals; totals one after the other with equal codes share one."""
    for codes, same in groupby(chart.hard.items(), key=lambda row: tuple(row[1].values())):
        totals = [total for total, _codes in same]
        heading = totals[0] if len(totals) == 1 else f"{totals[0]}–{totals[-1]}"
        description = _("hard %(total)s") % {"total": totals[0]}
        if len(totals) > 1:
            description = _("hard %(first)s to %(last)s") % {"first": totals[0], "last": totals[-1]}
        yield ChartRow(heading, description, tuple(ChartCell(code, words[code]) for code in codes))


def _cells(codes: Mapping[str, str], words: Mapping[str, str]) -> tuple[ChartCell, ...]:
    return tuple(ChartCell(code, words[code]) for code in codes.values())


def _words_of_codes() -> dict[str, str]:
    """The words of each code, in the order of the legend."""
    return {
        "H": _("hit"),
        "S": _("stand"),
        "Dh": _("double, otherwise hit"),
        "Ds": _("double, otherwise stand"),
        "P": _("split"),
        "Rh": _("surrender, otherwise hit"),
        "Rs": _("surrender, otherwise stand"),
        "Rp": _("surrender, otherwise split"),
    }
