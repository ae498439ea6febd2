"""The steps of a round lead through what everybody saw, to what was stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from accounts.models import User
from tables.engine.hand import Hand as EngineHand
from tables.models import Change, Round
from tables.models.grades import DecidedBy
from tables.protocol.commands import Choices, Decline, Double, Hit, Insure, Split, Stand, Surrender
from tables.protocol.public import PublicDealer, PublicHand, PublicTable
from tables.records import round_page
from tables.records.replay import Replay, ReplayedHand, Span
from tables.records.replay_builder import build_replay
from tables.texts.totals import total_words
from tests.helpers import changes
from tests.helpers.rounds import new_table, of_type, play_round, round_at_random, sit_down, types
from tests.helpers.settled_hands import list_hands
from tests.helpers.table_client import TableClient, code, events

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
ALL_RULES = ["classic", "heads-up", "piles", "pot", "casino", "vegas"]
FACE_DOWN = "??"


def replay_of(round_id: int | None) -> Replay:
    round_ = Round.objects.get(pk=round_id)
    rows = list_hands(round=round_)
    changes = Change.objects.filter(round=round_).order_by("pk")
    replay = build_replay(changes, rows, round_.dealer_cards)
    assert replay is not None, f"round {round_id} has no steps"
    return replay


def list_sentences(at: TableClient, viewer: User | None = None) -> list[str]:
    """The sentences of the last round."""
    round_ = Round.objects.get(pk=at.view.round)
    page = round_page.build_round_page(round_, viewer.pk if viewer else None)
    return [step.sentence for moment in page.moments for step in moment.steps]


# What is to be seen at a step


def is_there(span: Span[Any], step: int) -> bool:
    return span.since <= step and (span.until is None or step < span.until)


def values_at(spans: tuple[Span[Any], ...], step: int) -> list[Any]:
    return [one.value for one in spans if is_there(one, step)]


def cards_of(hand: ReplayedHand, step: int) -> tuple[str, ...]:
    return tuple(card.rank + card.suit for card in values_at(hand.cards, step))


def dealers(replay: Replay, step: int) -> tuple[str, ...]:
    cards = values_at(replay.dealer_cards, step)
    return tuple(card.rank + card.suit if card else FACE_DOWN for card in cards)


def hand_at(hand: ReplayedHand, step: int) -> PublicHand:
    """The hand as the table's own frames describe it."""
    (total,), (money,) = values_at(hand.totals, step), values_at(hand.money, step)
    is_settled = hand.settled <= step
    return PublicHand(
        cards=cards_of(hand, step),
        total=total,
        stake=money.stake,
        doubled=hand.doubled is not None and hand.doubled <= step,
        outcome=hand.outcome if is_settled else None,
        payout=(money.payout or 0) if is_settled else 0,
    )


def hands_at(replay: Replay, step: int) -> dict[int, tuple[PublicHand, ...]]:
    return {
        seat: tuple(hand_at(hand, step) for hand in hands if hand.since <= step)
        for seat, hands in replay.seats.items()
    }


def hands_in(view: PublicTable) -> dict[int, tuple[PublicHand, ...]]:
    """Without what pages do not show."""
    return {
        seat.seat: tuple(
            PublicHand(hand.cards, hand.total, hand.stake, False, hand.doubled, hand.outcome,
                       hand.payout)
            for hand in seat.hands
        )
        for seat in view.seats
        if seat.hands
    }  # fmt: skip


def insured_at(replay: Replay, step: int) -> dict[int, tuple[int, int]]:
    """Stake and insurance payouts, by seat."""
    money = {seat: values_at(hands[0].money, step)[0] for seat, hands in replay.seats.items()}
    return {
        seat: (one.insurance_stake, one.insurance_payout or 0)
        for seat, one in money.items()
        if one.insurance_stake
    }


def insured_in(view: PublicTable) -> dict[int, tuple[int, int]]:
    by_seat = {seat.seat: seat.insurance for seat in view.seats}
    return {s: (one.stake, one.payout) for s, one in by_seat.items() if one and one.stake}


def last_steps(replay: Replay) -> Iterator[int]:
    """The last step of each change: a test lets a second pass between them."""
    for number, step in enumerate(replay.steps):
        if number == replay.last or replay.steps[number + 1].at != step.at:
            yield number


# Evenings at random


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("key", ALL_RULES)
def test_after_each_change_the_replay_shows_what_the_table_showed(
    key: str, seed: int, ann: User, ben: User, cleo: User
) -> None:
    at, chance = new_table(key), Random(seed)
    players = [ann, ben, cleo][: at.row.rules.seats]
    sit_down(at, *players)
    for _ in range(4):
        views: list[PublicTable] = []
        for played in round_at_random(at, players, chance):
            if types(events(played)) != ["insurance_answered"]:  # shown with the last answer
                views.append(at.view)
            at.later(1)
        replay = replay_of(at.view.round)
        dealt = views[len(players) - 1 :]
        ends = list(last_steps(replay))
        assert len(ends) == len(dealt)
        for step, view in zip(ends, dealt, strict=True):
            assert hands_at(replay, step) == hands_in(view)
            assert insured_at(replay, step) == insured_in(view)
            total = values_at(replay.dealer_totals, step)
            assert PublicDealer(dealers(replay, step), total[0]) == PublicDealer(
                view.dealer.cards, view.dealer.total
            )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("key", ALL_RULES)
def test_each_step_is_one_event_and_each_card_falls_at_its_own(
    key: str, seed: int, ann: User, ben: User, cleo: User
) -> None:
    at, chance = new_table(key), Random(seed)
    players = [ann, ben, cleo][: at.row.rules.seats]
    sit_down(at, *players)
    for _ in range(3):
        happened = play_round(at, players, chance)
        replay = replay_of(at.view.round)
        untold = (
            "bet_placed", "shoe_opened", "shoe_sealed", "shoe_shuffled", "insurance_answered",
        )  # fmt: skip
        events = [event for event in happened if event["type"] not in untold]
        assert [dict(step.event) for step in replay.steps[1:]] == events
        lain: list[str] = []
        for number in range(replay.last + 1):
            before, lain = lain, all_cards(replay, number)
            event = dict(replay.steps[number].event)
            if event["type"] in ("card_dealt", "dealer_card_dealt"):
                assert sorted(lain) == sorted([*before, event["card"] or FACE_DOWN])
            elif event["type"] == "hole_card_revealed":
                assert sorted([*lain, FACE_DOWN]) == sorted([*before, event["card"]])
            else:
                assert sorted(lain) == sorted(before)


def all_cards(replay: Replay, step: int) -> list[str]:
    hands = [hand for hands in replay.seats.values() for hand in hands if hand.since <= step]
    return [*dealers(replay, step), *(card for hand in hands for card in cards_of(hand, step))]


@pytest.mark.parametrize("key", ALL_RULES)
def test_at_every_step_each_total_is_that_of_the_cards_that_lie_there(
    key: str, ann: User, ben: User, cleo: User
) -> None:
    at, chance = new_table(key), Random(11)
    players = [ann, ben, cleo][: at.row.rules.seats]
    sit_down(at, *players)
    for _ in range(4):
        play_round(at, players, chance)
        replay = replay_of(at.view.round)
        for step in range(replay.last + 1):
            for hand in (hand for hands in replay.seats.values() for hand in hands):
                if hand.since > step:
                    assert cards_of(hand, step) == ()
                    continue
                cards = " ".join(cards_of(hand, step))
                assert values_at(hand.totals, step) == (
                    [EngineHand.parse(cards).total] if cards else []
                )
            lying = " ".join(card for card in dealers(replay, step) if card != FACE_DOWN)
            total = [EngineHand.parse(lying).total] if lying else []
            assert values_at(replay.dealer_totals, step) == total


@pytest.mark.parametrize("key", ALL_RULES)
def test_a_replay_ends_with_what_was_stored(key: str, ann: User, ben: User, cleo: User) -> None:
    at, chance = new_table(key), Random(5)
    players = [ann, ben, cleo][: at.row.rules.seats]
    sit_down(at, *players)
    for _ in range(5):
        play_round(at, players, chance)
        round_ = Round.objects.get(pk=at.view.round)
        replay = replay_of(round_.pk)
        assert " ".join(dealers(replay, replay.last)) == round_.dealer_cards
        rows = list_hands(round=round_)
        stored = [(row.cards, row.total, row.outcome, row.stake, row.payout) for row in rows]
        final_hands = [
            (" ".join(hand.cards), hand.total, hand.outcome, hand.stake, hand.payout)
            for hands in hands_at(replay, replay.last).values()
            for hand in hands
        ]
        assert final_hands == stored


# Rounds that a test has stacked


def test_a_split_moves_a_card_to_a_hand_of_its_own(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack("8s 6h 8h Td 3c 9d 8d 7c 2c 5h 4h 6c 2d 2h")
    vegas.sit(ann, 1)
    vegas.bet(ann, 1000)
    for action in ("split", "double", "stand"):
        assert code(vegas.act(ann, action)) == "done"
    replay = replay_of(vegas.view.round)
    kinds = [step.kind for step in replay.steps]
    split = kinds.index("hand_split")
    before, after = hands_at(replay, split - 1)[1], hands_at(replay, split)[1]
    assert [hand.cards for hand in before] == [("8s", "8h")]
    assert [(hand.cards, hand.total, hand.stake) for hand in after] == [
        (("8s",), 8, 1000), (("8h",), 8, 1000),
    ]  # fmt: skip
    doubled = kinds.index("hand_doubled")
    assert [hand.stake for hand in hands_at(replay, doubled - 1)[1]] == [1000, 1000]
    assert [hand.stake for hand in hands_at(replay, doubled)[1]] == [2000, 1000]
    assert list_sentences(vegas, ann)[5:12] == [
        "You split for 10 more.",
        "Hand 1: You get the three of clubs: 11.",
        "Hand 2: You get the nine of diamonds: 17.",
        "Hand 1: You double for 10 more.",
        "Hand 1: You get the eight of diamonds: 19.",
        "Hand 2: You stand on 17.",
        "The dealer turns over the ten of diamonds: 16.",
    ]


def test_a_hand_that_is_split_again_leaves_the_others_where_they_are(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack("8s 6h 8h Td 8d 9d Tc 2c Ts 5h 4h 6c 2d 2h")
    vegas.sit(ann, 1)
    vegas.bet(ann, 1000)
    for action in ("split", "split", "stand", "stand", "stand"):
        assert code(vegas.act(ann, action)) == "done"
    replay = replay_of(vegas.view.round)
    splits = [number for number, step in enumerate(replay.steps) if step.kind == "hand_split"]
    assert [hand.cards for hand in hands_at(replay, splits[1] - 1)[1]] == [
        ("8s", "8d"), ("8h", "9d"),
    ]  # fmt: skip
    assert [hand.cards for hand in hands_at(replay, splits[1])[1]] == [
        ("8s",), ("8d",), ("8h", "9d"),
    ]  # fmt: skip
    assert [hand.since for hand in replay.seats[1]] == [0, splits[1], splits[0]]
    assert "Hand 1: You split for 10 more." in list_sentences(vegas, ann)


def test_the_replay_begins_with_the_bets_as_they_were_when_the_cards_fell(
    casino: TableClient, ann: User, ben: User, cleo: User, stack: Stack
) -> None:
    stack("Ts 9s 9c 7c Td Th 2c")
    sit_down(casino, ann, ben, cleo)
    casino.bet(ann, 5000)
    casino.bet(cleo, 2000)
    casino.bet(ann, 1500)
    casino.take_back(cleo)
    casino.bet(ben, 2500)
    casino.leave(cleo)
    casino.act(ann, "stand")
    casino.act(ben, "stand")
    replay = replay_of(casino.view.round)
    assert {seat: hands[0].money[0].value.stake for seat, hands in replay.seats.items()} == {
        1: 1500, 2: 2500,
    }  # fmt: skip
    assert replay.steps[0].by is DecidedBy.PLAYER
    assert list_sentences(casino, ben)[0] == "Bets from ann (15), you (25)."
    assert list_sentences(casino)[0] == "Bets from Seat 1 (15), Seat 2 (25)."


def test_what_the_clock_and_the_house_decided_is_said_to_be_theirs(
    casino: TableClient, ann: User, ben: User, cleo: User, stack: Stack
) -> None:
    stack("Ts 9s 8s 9c 7c 7d 5d Th 2c 3h")
    sit_down(casino, ann, ben, cleo)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    casino.time_is_up()
    assert casino.view.asked is not None
    casino.time_is_up()
    casino.leave(ben)
    replay = replay_of(Round.objects.get(finished_at__isnull=False).pk)
    assert [(step.kind, step.by) for step in replay.steps if step.by] == [
        ("bets", DecidedBy.CLOCK), ("hand_stood", DecidedBy.CLOCK), ("hand_stood", DecidedBy.SERVER)
    ]  # fmt: skip
    sentences = list_sentences(casino, ann)
    assert sentences[0] == "Time ran out: betting is closed. Bets from you (10), ben (10)."
    assert any(line.startswith("Time ran out for you: your hand stands on ") for line in sentences)
    assert any(line.startswith("ben had left: the hand stands on ") for line in sentences)


def test_a_player_who_leaves_while_another_decides_is_stood_for_by_the_house(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("Ts 9s 9c 7c Td Th 2c 3h")
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    casino.leave(ben)
    casino.act(ann, "stand")
    replay = replay_of(casino.view.round)
    stood = [step for step in replay.steps if step.kind == "hand_stood"]
    assert [(step.event["seat"], step.by) for step in stood] == [
        (1, DecidedBy.PLAYER),
        (2, DecidedBy.SERVER),
    ]


def test_insurance_is_asked_of_everybody_before_the_hands_are_played(
    vegas: TableClient, ann: User, ben: User, cleo: User, stack: Stack
) -> None:
    stack("Ts Ks 7s As Tc Ah 8h 6d 2c 3c 4c 5h")
    sit_down(vegas, ann, ben, cleo)
    for user in (ann, ben, cleo):
        vegas.bet(user, 2000)
    vegas.act(ann, "decline")
    vegas.act(ben, "insure")
    vegas.time_is_up()
    vegas.act(ann, "stand")
    vegas.act(cleo, "surrender")
    assert list_sentences(vegas, cleo)[9:] == [
        "ann declines insurance.",
        "ben insures for 10.",
        "Time ran out for you: no insurance.",
        "The dealer checks the hole card: no blackjack.",
        "ben's insurance loses: 10.",
        "ben has blackjack and wins 30.",
        "ann stands on 20.",
        "You surrender and get 10 back.",
        "The dealer turns over the six of diamonds: 17.",
        "ann wins 20.",
    ]
    replay = replay_of(vegas.view.round)
    insurance_step = [step.kind for step in replay.steps].index("insurance_taken")
    assert insured_at(replay, insurance_step - 1) == {}
    assert insured_at(replay, insurance_step) == {2: (1000, 0)}


def test_answers_about_insurance_in_any_order_are_those_of_their_players(
    vegas: TableClient, ann: User, ben: User, cleo: User, stack: Stack
) -> None:
    stack("Ts Ks 7s As Tc Ah 8h 6d 2c 3c 4c 5h")
    sit_down(vegas, ann, ben, cleo)
    for user in (ann, ben, cleo):
        vegas.bet(user, 2000)
    vegas.act(cleo, "insure")
    vegas.leave(ann)
    vegas.act(ben, "decline")
    vegas.act(cleo, "surrender")
    replay = replay_of(vegas.view.round)
    answers = [step for step in replay.steps if step.kind.startswith("insurance_")][:3]
    assert [(step.event["seat"], step.kind, step.by) for step in answers] == [
        (1, "insurance_declined", DecidedBy.SERVER),
        (2, "insurance_declined", DecidedBy.PLAYER),
        (3, "insurance_taken", DecidedBy.PLAYER),
    ]


def test_the_house_declines_for_who_cannot_pay_an_insurance(
    vegas: TableClient, ann: User, stack: Stack
) -> None:
    stack("Ts As 9h 6d 2c 3c 4c")
    vegas.sit(ann, 1)
    vegas.bet(ann, 50_000)
    vegas.act(ann, "stand")
    assert "You had left: insurance is declined." in list_sentences(vegas, ann)


def test_a_round_in_which_the_dealer_draws_nothing_and_nobody_decides(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("As 9h Kd 7c")
    casino.sit(ann, 1)
    casino.bet(ann, 1500)
    assert list_sentences(casino, ann) == [
        "Bets from you (15).",
        "You get the ace of spades: 11.",
        "The dealer takes the nine of hearts: 9.",
        "You get the king of diamonds: 21.",
        "The dealer takes a card, face down.",
        "You have blackjack and win 22.50.",
        "The dealer turns over the seven of clubs: 16.",
    ]


def test_where_the_dealer_matches_a_tie_is_told_as_lost(
    pot: TableClient, ann: User, stack: Stack
) -> None:
    stack("Ts 9s Th 9h")
    pot.sit(ann, 1)
    pot.bet(ann, 200)
    pot.act(ann, "stand")
    assert list_sentences(pot, ann)[-1] == "You lose 2: the dealer wins ties."
    assert list_sentences(pot)[-1] == "Seat 1 loses 2: the dealer wins ties."


def test_where_nothing_is_staked_no_money_is_told(
    classic: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("Ts 9s Th 6h 5d 9d 5c 4c")
    sit_down(classic, ann, ben)
    classic.bet(ann, 0)
    classic.bet(ben, 0)
    for user, action in ((ann, "stand"), (ben, "hit"), (ben, "stand")):
        assert code(classic.act(user, action)) == "done"
    assert list_sentences(classic, ben) == [
        "Dealt in: ann, you.",
        "ann gets the ten of spades: 10.",
        "ann gets the nine of spades: 19.",
        "You get the ten of hearts: 10.",
        "You get the six of hearts: 16.",
        "The dealer takes a card, face down.",
        "The dealer takes the nine of diamonds: 9.",
        "ann stands on 19.",
        "You hit and get the five of clubs: 21.",
        "You stand on 21.",
        "The dealer turns over the five of diamonds: 14.",
        "The dealer takes the four of clubs: 18.",
        "ann wins.",
        "You win.",
    ]


def test_a_pile_and_the_end_of_a_game_are_told(piles: TableClient, ann: User) -> None:
    piles.sit(ann, 1)
    chance = Random(2)
    while not of_type(happened := play_round(piles, [ann], chance), "game_ended"):
        assert list_sentences(piles, ann) == []
    (ended,) = of_type(happened, "game_ended")
    *_, collected, over = list_sentences(piles, ann)
    assert " pile gets " in collected
    assert over.startswith("The game is over. ")
    assert str(ended["player"]) in over
    assert [step.kind for step in replay_of(piles.view.round).steps][-2:] == [
        "cards_collected", "game_ended",
    ]  # fmt: skip


def test_where_there_is_no_blackjack_the_dealer_is_said_to_have_no_21(
    piles: TableClient, ann: User, stack: Stack
) -> None:
    stack("Ts 9s Kh 7d 2c")
    piles.sit(ann, 1)
    piles.bet(ann, 0)
    piles.act(ann, "stand")
    assert list_sentences(piles, ann)[5:] == [
        "The dealer checks the hole card: no 21.",
        "You stand on 19.",
        "The dealer turns over the seven of diamonds: 17.",
        "You win.",
        "Your pile gets 4 cards.",
        "The game is over. You win 4 cards to 0.",
    ]


# What was written down otherwise


@pytest.fixture
def played(casino: TableClient, ann: User, stack: Stack) -> Round:
    """A round that ann has played."""
    stack("Ts 9s 9c 7c Td Th 2c 3h")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.act(ann, "stand")
    return Round.objects.get(pk=casino.view.round)


def spoil(round_: Round, kind: str, **spoilt: Any) -> None:
    """Change the first event of this kind as if it had been written otherwise."""
    for change in Change.objects.filter(round=round_).order_by("pk"):
        for event in of_type(change.events, kind):
            event.update(spoilt)
            changes.rewrite(change)
            return
    pytest.fail(f"no {kind}")


@pytest.mark.parametrize(
    ("kind", "spoilt"),
    [
        ("bet_placed", {"type": "stake_laid"}),
        ("bet_placed", {"stake": 2000}),
        ("card_dealt", {"card": "??"}),
        ("card_dealt", {"card": "2h"}),
        ("card_dealt", {"seat": 3}),
        ("dealer_card_dealt", {"card": "2h"}),
        ("hole_card_revealed", {"type": "turned"}),
        ("hand_settled", {"outcome": "push"}),
        ("hand_settled", {"payout": 5}),
        ("hand_settled", {"hand": 2}),
        ("hand_settled", {"type": "ended"}),
    ],
)
def test_changes_that_do_not_lead_to_what_was_stored_tell_no_steps(
    kind: str, spoilt: dict[str, Any], played: Round, ann: User
) -> None:
    assert round_page.build_round_page(played, ann.pk).moments
    spoil(played, kind, **spoilt)
    page = round_page.build_round_page(played, ann.pk)
    assert page.moments == ()
    ((hand,),) = page.replay.seats.values()
    assert [card.value.rank + card.value.suit for card in hand.cards] == ["Ts", "9c"]
    assert (hand.since, hand.settled, hand.totals) == (0, 0, (Span(19),))
    assert [card.value.rank for card in page.replay.dealer_cards if card.value] == ["9", "7", "T"]


def test_a_round_without_changes_is_shown_as_it_ended(played: Round) -> None:
    Change.objects.filter(round=played).delete()
    page = round_page.build_round_page(played, None)
    assert page.moments == ()
    assert page.replay.dealer_totals == (Span(26),)


def test_a_command_that_nobody_can_read_any_more_was_decided_by_the_house(played: Round) -> None:
    (change,) = changes.find_by_command(played, "stand")
    changes.rewrite(change, command='{"t":"remain"}')
    steps = replay_of(played.pk).steps
    assert [step.by for step in steps if step.kind == "hand_stood"] == [DecidedBy.SERVER]


def test_what_happens_at_the_table_afterwards_is_no_step(
    casino: TableClient, played: Round, ben: User
) -> None:
    steps = len(replay_of(played.pk).steps)
    casino.later(5)
    casino.sit(ben, 2)
    casino.leave(ben)
    assert Change.objects.filter(round=played).count() > 3
    assert len(replay_of(played.pk).steps) == steps


def test_times_are_told_from_the_deal(casino: TableClient, ann: User, stack: Stack) -> None:
    stack("Ts 9s 9c 7c Td Th 2c 3h")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    dealt = casino.now
    casino.later(7.6)
    casino.act(ann, "stand")
    page = round_page.build_round_page(Round.objects.get(pk=casino.view.round), ann.pk)
    assert [(moment.since_deal, moment.at) for moment in page.moments] == [
        ("0:00", dealt), ("0:07", casino.now),
    ]  # fmt: skip
    decided = [
        step.sentence for moment in page.moments for step in moment.steps if step.is_decision
    ]
    assert decided == ["Bets from you (10).", "You stand on 19."]


def test_every_choice_of_the_protocol_is_known_as_a_decision() -> None:
    choices = {Hit, Stand, Double, Split}
    choices |= {Surrender, Insure, Decline}
    assert set(Choices.__args__) == choices


# Soft totals


def test_a_total_is_soft_while_an_ace_can_still_count_as_one(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    casino.sit(ann, 1)
    stack("As 6h 7d Tc 2c 5h")  # ann: A 7, then 2; the dealer: 6 T 5
    casino.bet(ann, 1000)
    casino.act(ann, "hit")
    casino.act(ann, "stand")
    round_ = Round.objects.latest("pk")
    page = round_page.build_round_page(round_, ann.pk)
    sentences = [step.sentence for moment in page.moments for step in moment.steps]
    assert any("soft" in sentence and "hit" in sentence for sentence in sentences), sentences
    assert [sentence for sentence in sentences if "stand" in sentence] == ["You stand on 20."], (
        sentences
    )
    (hand,) = page.seats[0].hands
    totals = [total_words(total.value) for total in hand.totals]
    assert totals[1:] == ["soft 18", "soft 20", "20"]
