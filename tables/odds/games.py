"""What a whole game is worth: one player, a fresh shoe, the same stake each round."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from tables.engine.rules import Ruleset, Tie
from tables.odds.charts import HARD, LETTERS, PAIRS, SOFT, UP_CARDS, Chart
from tables.odds.column_search import ColumnSearch
from tables.odds.dealer_hands import Floats
from tables.odds.first_cards import FirstCards
from tables.odds.hand_values import SURRENDER
from tables.odds.hands import KINDS
from tables.odds.splits import MOST_NET, chances_of_net

Codes = dict[str, dict[str, str]]
"""The codes of a column, by the part of the chart and the row."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game's value in stakes, and the chances of a round."""

    ev: float
    """The mean net with the best play of each hand by its cards; at ``piles``, where nothing is
    staked, hands won less hands lost."""
    ev_total_dependent: float
    """The mean net with :attr:`chart`."""
    win: float
    tie: float
    lose: float
    """Chances that a round's net is above, at and below zero, with the best play."""
    sd: float
    """The standard deviation of a round's net, with the best play."""
    chart: Chart
    """The best play by totals and pairs."""


def evaluate_game(rules: Ruleset) -> Game:
    """The value of the game of ``rules``. It takes about two seconds of a processor."""
    rounds, by_chart = _Rounds(), 0.0
    columns = []
    for up in range(KINDS):
        best, net_of_chart, codes = _evaluate_up_card(rules, up)
        rounds += best
        by_chart += net_of_chart
        columns.append(codes)
    return Game(
        ev=rounds.net,
        ev_total_dependent=by_chart,
        win=rounds.win,
        tie=rounds.tie,
        lose=rounds.lose,
        sd=sqrt(rounds.squares - rounds.net**2),
        chart=_make_chart(columns),
    )


def _evaluate_up_card(rules: Ruleset, up: int) -> tuple[_Rounds, float, Codes]:
    """The rounds with this up card: with the best play, their mean net with the chart, the chart's
    column. All its large arrays are gone when the next up card's are made.
    """
    search = ColumnSearch(FirstCards(rules, up))
    naturals, column = _play_naturals(search), search.find()
    net_of_chart = naturals.net + search.net(column)
    return naturals + _play_best(search), net_of_chart, search.codes(column)


@dataclass(frozen=True, slots=True)
class _Rounds:
    """Sums over rounds of their chance, times their net, its square, or one."""

    net: float = 0.0
    squares: float = 0.0
    win: float = 0.0
    tie: float = 0.0
    lose: float = 0.0

    def __add__(self, other: _Rounds) -> _Rounds:
        return _Rounds(
            self.net + other.net,
            self.squares + other.squares,
            self.win + other.win,
            self.tie + other.tie,
            self.lose + other.lose,
        )


def _play_naturals(search: ColumnSearch) -> _Rounds:
    """The rounds that the dealer's check ends."""
    first = search.first_cards
    chances = first.chances * first.naturals
    ties = first.values.hands.total[first.rows] == 21
    if first.rules.tie is Tie.DEALER_WINS:
        ties = np.zeros_like(ties)
    tie, lose = float(chances[ties].sum()), float(chances[~ties].sum())
    return _Rounds(net=-lose, squares=lose, tie=tie, lose=lose)


def _play_best(search: ColumnSearch) -> _Rounds:
    """All other rounds, with the best play of each hand by its cards."""
    first, values = search.first_cards, search.values
    play = values.best_play()
    splits = search.best_splits(play)
    chances = values.chances_of_play(play)
    pays = values.payout_of_win()
    pair_of_row = {row: pair for pair, row in search.pair_rows.items()}
    sums = _Rounds()
    for row, weight in zip(first.rows, first.chances * (1 - first.naturals), strict=True):
        pair = pair_of_row.get(row)
        split = -np.inf if pair is None else splits.get(pair, -np.inf)
        best, surrender = values.best[row], SURRENDER if search.can_surrender[row] else -np.inf
        if pair is not None and split > max(best, surrender):
            net = chances_of_net(values, play, pair, first.rules.max_hands)
            sums += _count(weight, split, net)
        elif surrender > best:
            sums += _Rounds(SURRENDER * weight, SURRENDER**2 * weight, 0.0, 0.0, weight)
        else:
            win, tie, lose = weight * chances[row]
            stake = 2 if play.doubles[row] else 1
            sums += _Rounds(
                net=stake * (pays[row] * win - lose),
                squares=stake**2 * (pays[row] ** 2 * win + lose),
                win=win,
                tie=tie,
                lose=lose,
            )
    return sums


def _count(weight: float, value: float, net: Floats) -> _Rounds:
    """Rounds with a split: their exact mean, and the chances of their net."""
    stakes = np.arange(-MOST_NET, MOST_NET + 1)
    return _Rounds(
        net=weight * value,
        squares=weight * float((net * stakes**2).sum()),
        win=weight * float(net[stakes > 0].sum()),
        tie=weight * float(net[MOST_NET]),
        lose=weight * float(net[stakes < 0].sum()),
    )


def _make_chart(columns: list[Codes]) -> Chart:
    """The chart of the columns of all up cards, by kind."""
    by_letter = dict(zip(LETTERS, columns, strict=True))

    def rows(name: str, keys: tuple[str, ...]) -> dict[str, dict[str, str]]:
        return {key: {up: by_letter[up][name][key] for up in UP_CARDS} for key in keys}

    return Chart(rows("hard", HARD), rows("soft", SOFT), rows("pairs", PAIRS))
