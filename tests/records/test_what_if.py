"""What would have happened: the same shoe dealt again, with another decision."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from accounts.models import User
from tables.engine.actions import Action
from tables.engine.cards import format_cards, parse_cards
from tables.engine.events import event_to_dict
from tables.engine.player_hand import Turn
from tables.engine.presets import CASINO, PRESETS, VEGAS
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe
from tables.models import Result
from tables.models import Round as RoundRow
from tables.records.what_if import (
    Choice,
    DealtRound,
    NotDealtAgain,
    TurnAction,
    deal_again,
    list_choices,
    net_of,
    play_otherwise,
    replay,
)
from tests.helpers.rounds import new_table, play_round, sit_down

PLENTY = 10**12


def play(rules: Ruleset, cards: str, stakes: dict[int, int], *actions: str) -> DealtRound:
    """A round of these cards and decisions, followed by its events as they are stored."""
    shoe = Shoe.parse(cards)
    round_, dealt = Round.deal(rules, stakes, shoe)
    events: list[dict[str, Any]] = [
        {"type": "bet_placed", "seat": seat, "stake": stake} for seat, stake in stakes.items()
    ]
    events += map(event_to_dict, dealt)
    for action in actions:
        assert round_.turn is not None
        events += map(event_to_dict, round_.act(Action(action), round_.turn, PLENTY))
    assert round_.turn is None
    return replay(rules, shoe.cards, 0, events)


def choices(dealt: DealtRound, seat: int = 1) -> list[Choice]:
    return list(list_choices(dealt, seat))


def hands_of(round_: Round, seat: int = 1) -> list[str]:
    return [format_cards(hand.hand.cards) for hand in round_.seats[seat]]


def test_another_card_comes_from_the_sealed_order() -> None:
    # 16 against a ten stood and lost to 20; a five would have made 21.
    dealt = play(CASINO, "Ts Kd 6h Qc 5s 2c 3c", {1: 1000}, "stand")
    assert dealt.net(1) == -1000
    (choice,) = choices(dealt)
    assert choice.made == TurnAction(Turn(1, 1), Action.STAND)
    assert choice.others == (Action.HIT, Action.DOUBLE_DOWN)
    hit = play_otherwise(dealt, choice, Action.HIT)
    assert hands_of(hit.final) == ["Ts 6h 5s"]
    assert net_of(hit.final, 1) == 1000
    assert net_of(play_otherwise(dealt, choice, Action.DOUBLE_DOWN).final, 1) == 2000
    assert hit.decision is not None
    assert hit.decision.best is Action.HIT


def test_the_rest_of_my_hands_is_played_in_the_best_way() -> None:
    # Eights against a six, stood; split, the first takes the three and doubles, the second stands.
    dealt = play(CASINO, "8s 6h 8h Td 3c 9d 8d 7c 2c", {1: 1000}, "stand")
    (choice,) = choices(dealt)
    split = play_otherwise(dealt, choice, Action.SPLIT)
    assert hands_of(split.final) == ["8s 3c 8d", "8h 9d"]
    assert [decision.action for decision in split.later] == [Action.DOUBLE_DOWN, Action.STAND]
    assert net_of(split.final, 1) == 3000


def test_others_decide_as_they_did_as_long_as_they_can() -> None:
    # Seat 1 takes the five. Seat 2 stands on 12 against a seven, which is not the best play.
    cards = "Ts 9s 7d 6h 3h Tc 5s 8d 9c 2s"
    dealt = play(CASINO, cards, {1: 1000, 2: 1000}, "hit", "stand")
    (choice,) = choices(dealt)
    stood = play_otherwise(dealt, choice, Action.STAND)
    assert hands_of(stood.final) == ["Ts 6h"]
    assert hands_of(stood.final, 2) == ["9s 3h"]
    assert stood.later == ()


def test_what_others_had_not_to_decide_is_played_in_the_best_way() -> None:
    # Seat 2 hit 12 and had 21, which stands by itself. Without the five of seat 1 it has 17.
    cards = "Ts 9s 7d 6h 3h Tc 5s 9d 9c 2s"
    dealt = play(CASINO, cards, {1: 1000, 2: 1000}, "hit", "hit")
    assert hands_of(dealt.final, 2) == ["9s 3h 9d"]
    (choice,) = choices(dealt)
    assert hands_of(play_otherwise(dealt, choice, Action.STAND).final, 2) == ["9s 3h 5s"]


def test_a_decision_about_insurance_can_be_changed_too() -> None:
    dealt = play(VEGAS, "Ts As 9h Kd", {1: 1000}, "decline")
    (choice,) = choices(dealt)
    insured = play_otherwise(dealt, choice, Action.INSURE)
    assert (dealt.net(1), net_of(insured.final, 1)) == (-1000, 0)
    assert insured.decision is not None
    assert insured.decision.insurance is not None


def test_events_that_do_not_follow_from_the_shoe_are_refused() -> None:
    dealt = play(CASINO, "Ts Kd 6h Qc 5s 2c 3c", {1: 1000}, "stand")
    events = [{"type": "bet_placed", "seat": 1, "stake": 1000}]
    with pytest.raises(NotDealtAgain):
        replay(CASINO, parse_cards("Ts Kd 6h Qc"), 0, events)
    assert dealt.decisions == (TurnAction(Turn(1, 1), Action.STAND),)


@pytest.mark.django_db
@pytest.mark.parametrize("key", PRESETS)
def test_stored_rounds_are_dealt_again_as_they_were(key: str, ann: User, ben: User) -> None:
    """And only when the secret of their shoe is public."""
    at, chance = new_table(key), Random(key)
    players = [ann, ben][: PRESETS[key].seats]
    sit_down(at, *players, adds_words=True)
    for _ in range(3):
        play_round(at, players, chance)
    rows = list(RoundRow.objects.select_related("shoe", "table").order_by("pk"))
    assert len(rows) == 3
    for row in rows:
        dealt = deal_again(row)
        assert row.shoe is not None
        assert (dealt is None) == (not row.shoe.secret)
        if dealt is None:
            continue
        for result in Result.objects.filter(round=row):
            assert dealt.net(result.seat) == result.payout - result.stake
            for choice in list_choices(dealt, result.seat):
                again = play_otherwise(dealt, choice, choice.others[0])
                assert again.final.turn is None
                break
