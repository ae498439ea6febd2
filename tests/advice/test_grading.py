"""Each decision is valued by what its player could see, and the parts of a net add up."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from accounts.models import Account, User, WalletEntry
from tables.advice import grading, stored_rounds
from tables.advice.grading import GradedSeat, UngradableRound
from tables.engine.cards import Card, parse_cards
from tables.engine.options import customize
from tables.models import Change, Result, Round
from tables.models.grades import (
    DamagedDecisions,
    DecidedBy,
    GradedDecision,
    decode_decisions,
    encode_decisions,
    round_share,
)
from tables.odds.charts import Chart
from tables.odds.decisions import evaluate
from tables.odds.games import Game
from tests.game.test_host_commands import ban, made_by
from tests.helpers.rounds import new_table, play_round, sit_down
from tests.helpers.table_client import TableClient, code

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
EVERYTHING = "8s Ts As 8h 6h 6d 3c Td 9d"
"""Ann 8 8, ben 16, an ace over a six; ann's split hands 11 and 18, and a nine for the double."""


@pytest.fixture(autouse=True)
def _known_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """The value of a game takes a second each; its own tests compute it."""
    game = Game(-0.0033026, -0.0033126, 0.43, 0.09, 0.48, 1.1417, Chart({}, {}, {}))
    monkeypatch.setattr(grading, "load_game", lambda _rules: game)


def last_round(at: TableClient) -> Round:
    return Round.objects.filter(table=at.table_id, finished_at__isnull=False).latest("pk")


def grade(at: TableClient) -> dict[int, GradedSeat]:
    return stored_rounds.grade_stored_round(last_round(at).pk)


def words(graded: GradedSeat) -> list[tuple[int, str, str]]:
    return [(one.hand, one.action, one.by) for one in graded.decisions]


@pytest.fixture
def everything(vegas: TableClient, ann: User, ben: User, stack: Stack) -> TableClient:
    """A round with insurance, a split, a double and a surrender."""
    stack(EVERYTHING)
    sit_down(vegas, ann, ben)
    vegas.bet(ann, 2500)
    vegas.bet(ben, 2000)
    for user, action in (
        (ann, "insure"), (ben, "decline"), (ann, "split"), (ann, "double"), (ann, "stand"),
        (ben, "surrender"),
    ):  # fmt: skip
        assert code(vegas.act(user, action)) == "done"
    return vegas


def test_a_round_with_everything_adds_up_to_the_hundredth(everything: TableClient) -> None:
    graded = grade(everything)
    nets = {one.seat: one.net for one in Result.objects.all()}
    assert nets == {1: -1250 + 5000 + 2500, 2: -1000}
    for seat, own in graded.items():
        assert own.expectation + own.luck - own.money_cost == nets[seat]
        assert own.money_cost == sum(one.money_cost for one in own.decisions)
    assert words(graded[1]) == [
        (1, "insure", "player"), (1, "split", "player"), (1, "double", "player"),
        (2, "stand", "player"),
    ]  # fmt: skip
    assert words(graded[2]) == [(1, "decline", "player"), (1, "surrender", "player")]
    assert (graded[1].stake, graded[1].expectation) == (2500, -8)
    assert graded[1].variance == pytest.approx((2500 * 1.1417) ** 2)


def test_a_decision_is_valued_by_all_cards_that_its_player_could_see(
    everything: TableClient,
) -> None:
    rules, up = everything.row.rules, Card.parse("As")
    insurance, split, double, stand = grade(everything)[1].decisions
    assert list(insurance.values) == ["decline", "insure"]
    # 5 of 312 cards are seen, one of them a ten.
    chance = 95 / 307
    assert insurance.values["insure"] == round((2 * chance - (1 - chance)) / 2 * 1e6)
    assert (insurance.cost, insurance.money_cost) == (
        -insurance.values["insure"],
        round_share(2500, -insurance.values["insure"]),
    )
    expected = evaluate(rules, parse_cards("8s 8h"), up, parse_cards("Ts 6h"))
    assert split.values == {a.value: round(v * 1e6) for a, v in expected.values.items()}
    expected = evaluate(
        rules, parse_cards("8s 3c"), up, parse_cards("Ts 6h 8h Td"), from_split=True, split_hands=2
    )
    assert double.values == {a.value: round(v * 1e6) for a, v in expected.values.items()}
    assert double.cost == max(double.values.values()) - double.values["double"]
    assert stand.cost == 0


def test_a_split_hand_cannot_be_split_again_where_two_hands_are_the_most(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("8s 6h 8h Td 8d 8c 7c 2c")
    casino.later(1)  # after she got her chips
    sit_down(casino, ann)
    casino.bet(ann, 1000)
    for action in ("split", "stand", "stand"):
        assert code(casino.act(ann, action)) == "done"
    first, second, third = grade(casino)[1].decisions
    assert "split" in first.values
    assert (second.cards, second.values.keys()) == ("8s 8d", {"stand", "hit", "double"})
    assert (third.cards, third.values.keys()) == ("8h 8c", {"stand", "hit", "double"})


def test_the_cards_of_earlier_rounds_of_the_shoe_were_seen(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack("Ts 9s 9h 8d Tc 7s 6d Td" + " 2c" * 200)  # or there were too few for a second round
    sit_down(vegas, ann)
    for _ in range(2):
        vegas.bet(ann, 1000)
        vegas.act(ann, "stand")
    (decision,) = grade(vegas)[1].decisions
    earlier_cards = parse_cards("Ts 9s 9h 8d")
    rules, up = vegas.row.rules, Card.parse("7s")
    after, fresh = (evaluate(rules, parse_cards("Tc 6d"), up, more) for more in (earlier_cards, ()))
    assert decision.values == {a.value: round(v * 1e6) for a, v in after.values.items()}
    assert decision.values != {a.value: round(v * 1e6) for a, v in fresh.values.items()}
    assert (decision.best, decision.money_cost) == ("hit", round_share(1000, decision.cost))


def test_the_clock_decides_as_the_player_and_so_does_leaving(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    """Who could leave every hard hand for free would be the best of the leaderboard of skill."""
    stack("5s 6s Td 5h 5c 7d Tc 9c")
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    casino.leave(ben)
    casino.time_is_up()
    graded = grade(casino)
    assert words(graded[1]) == [(1, "stand", "clock")]
    assert words(graded[2]) == [(1, "stand", "left")]
    for own in graded.values():
        assert (own.own, own.cost, own.mistakes) == ([*own.decisions], own.decisions[0].cost, 1)
        assert own.money_cost == own.decisions[0].money_cost > 300
        assert own.expectation + own.luck - own.money_cost == -1000


def test_a_hand_that_stands_because_the_host_banned_its_player_counts(
    ann: User, ben: User, stack: Stack
) -> None:
    """A friend could ban and admit a player again in place of each hard decision."""
    at = made_by(ann)
    stack("5s Td 6h 9c")
    sit_down(at, ben)
    at.bet(ben, 1000)
    at.send(ann, ban("ben"))
    (own,) = grade(at).values()
    assert words(own) == [(1, "stand", "left")]
    assert (own.mistakes, len(own.own)) == (1, 1)


def test_who_does_not_answer_about_insurance_has_declined_it(
    vegas: TableClient, ann: User, ben: User, cleo: User, stack: Stack
) -> None:
    """Ann lets the clock decline, and stand; ben answers first; cleo leaves before she answers."""
    stack("Ts 9s 8s As 7h Td 9d 8h 3c 4c")
    sit_down(vegas, ann, ben, cleo)
    for user in (ann, ben, cleo):
        vegas.bet(user, 1000)
    vegas.act(ben, "decline")
    vegas.leave(cleo)
    for _ in range(3):
        vegas.time_is_up()
    graded = grade(vegas)
    assert words(graded[1]) == [(1, "decline", "clock"), (1, "stand", "clock")]
    assert words(graded[2]) == [(1, "decline", "player"), (1, "stand", "clock")]
    assert words(graded[3]) == [(1, "decline", "left"), (1, "stand", "left")]
    assert [len(own.own) for own in graded.values()] == [2, 2, 2]
    assert [list(own.decisions[0].values) for own in graded.values()] == [["decline", "insure"]] * 3


def test_what_comes_after_a_late_answer_is_decided_anew(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack("Ts As 6h 6d 3c 4c")
    sit_down(vegas, ann)
    vegas.bet(ann, 1000)
    vegas.time_is_up()
    vegas.leave(ann)
    assert words(grade(vegas)[1]) == [(1, "decline", "clock"), (1, "stand", "left")]


def test_who_cannot_pay_for_a_double_loses_nothing_by_not_doubling(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    everything = Account.objects.get(user=ann).balance
    stack("5s 6d 6h Td Tc 9c", "5s 6d 6h Td Tc 9c")
    sit_down(casino, ann)
    casino.bet(ann, everything)
    casino.later(1)
    casino.act(ann, "hit")
    casino.later(1)
    (poor,) = grade(casino)[1].decisions
    assert (poor.action, poor.best, poor.cost) == ("hit", "hit", 0)
    assert "double" not in poor.values
    casino.bet(ann, 1000)
    casino.later(1)
    casino.act(ann, "hit")
    (rich,) = grade(casino)[1].decisions
    assert (rich.action, rich.best) == ("hit", "double")
    assert rich.cost > 0
    assert WalletEntry.objects.filter(wallet__user=ann).exists()


@pytest.mark.parametrize("key", ["classic", "heads-up", "piles", "pot", "casino", "vegas"])
def test_rounds_at_random_can_be_graded(key: str, ann: User, ben: User, cleo: User) -> None:
    at, chance = new_table(key), Random(key)
    players = [ann, ben, cleo][: at.row.rules.seats]
    sit_down(at, *players)
    for _ in range(4):
        play_round(at, players, chance)
        results = {one.seat: one for one in Result.objects.filter(round=last_round(at))}
        for seat, own in grade(at).items():
            assert own.expectation + own.luck - own.money_cost == results[seat].net
            assert len(own.decisions) == results[seat].decisions
            assert all(one.by == "player" and one.cost >= 0 for one in own.decisions)


def test_a_round_whose_changes_do_not_lead_through_it_is_not_graded(
    everything: TableClient,
) -> None:
    last = Change.objects.filter(round=last_round(everything)).latest("seq")
    Change.objects.filter(pk=last.pk).update(round=None)
    with pytest.raises(UngradableRound):
        grade(everything)


def test_without_stakes_there_are_no_parts_of_money() -> None:
    start = [
        {"type": "bet_placed", "seat": 1, "stake": 0},
        {"type": "card_dealt", "seat": 1, "hand": 1, "card": "Ts"},
        {"type": "card_dealt", "seat": 1, "hand": 1, "card": "9h"},
        {"type": "dealer_card_dealt", "card": None},
        {"type": "dealer_card_dealt", "card": "9d"},
    ]
    end = [
        {"type": "hand_stood", "seat": 1, "hand": 1},
        {"type": "hole_card_revealed", "card": "8c"},
        {"type": "hand_settled", "seat": 1, "hand": 1, "outcome": "win", "stake": 0, "payout": 0},
    ]
    changes = [grading.StoredChange(start), grading.StoredChange(end)]
    (own,) = grading.grade_round(customize("classic", {}), changes).values()
    assert (own.expectation, own.luck, own.money_cost, own.variance) == (0, 0, 0, 0.0)
    assert (own.decisions[0].action, own.decisions[0].best) == ("stand", "stand")


def test_decisions_are_stored_as_a_text() -> None:
    decisions = [
        GradedDecision(2, "hit", DecidedBy.CLOCK, "Ts 9h", 1000, {"stand": -12, "hit": -400_012})
    ]
    assert decode_decisions(encode_decisions(decisions)) == decisions
    assert (decisions[0].cost, decisions[0].money_cost) == (400_000, 400)
    assert decisions[0].is_own


@pytest.mark.parametrize("text", ["[[1]]", '[[1, "hit", "nobody", "Ts 9h", 100, {}]]', "{"])
def test_another_text_is_not_of_decisions(text: str) -> None:
    with pytest.raises(DamagedDecisions):
        decode_decisions(text)
