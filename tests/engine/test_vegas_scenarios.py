"""What players of today's tables expect: insurance, even money, late surrender.

The shoe is dealt as every seat's first card, the dealer's up card, every seat's second card, the
dealer's hole card.
"""

from __future__ import annotations

import pytest

from tables.engine import legal_actions
from tables.engine.actions import Action
from tables.engine.errors import RuleViolation
from tables.engine.presets import VEGAS
from tables.engine.rules import Stakes
from tests.engine.scenario import play

THREE = {1: 1000, 2: 1000, 3: 1000}

# The table


def test_the_cards_are_dealt_as_at_a_casino_table():
    played = play(VEGAS, stakes={1: 500, 2: 600}, shoe="9s 9d 7h | 8s 8d Tc")
    assert played.story == [
        "1.1 gets 9s",
        "2.1 gets 9d",
        "dealer gets 7h",
        "1.1 gets 8s",
        "2.1 gets 8d",
        "dealer gets ??",
    ]


def test_six_decks_are_dealt_to_the_cut_card():
    assert (VEGAS.cards, VEGAS.cut_position, VEGAS.keeps_its_shoe) == (312, 234, True)


def test_the_limits_are_5_and_1000():
    assert VEGAS.stakes == Stakes(minimum=500, maximum=100_000, unit=100)


def test_a_player_is_asked_for_everything_the_first_cards_allow():
    assert play(VEGAS, shoe="8s 7h | 8d Tc").question() == "1.1 hit stand double split surrender"


@pytest.mark.parametrize(("cards", "final"), [("Ah 6c", "Ah 6c"), ("6h Ac", "6h Ac")])
def test_the_dealer_stands_on_soft_17(cards: str, final: str):
    upcard, hole = cards.split()
    actions = "1:decline 1:stand" if upcard == "Ah" else "1:stand"
    assert play(VEGAS, shoe=f"9s {upcard} | 9d {hole} 2c", actions=actions).dealer == final


def test_21_stands_by_itself():
    played = play(VEGAS, stakes={1: 500, 2: 500}, shoe="5s 9d 7h | 6s 8d Tc | Ks", actions="1:hit")
    assert played.question() == "2.1 hit stand double surrender"


# Insurance


def test_insurance_is_asked_before_anything_else():
    played = play(VEGAS, shoe="8s Ah | 8d 5c")
    assert (played.story[4:], played.question()) == ([], "1.1 insure decline")


@pytest.mark.parametrize("upcard", [f"{face}h" for face in "23456789TJQK"])
def test_insurance_is_not_asked_without_an_ace(upcard: str):
    played = play(VEGAS, shoe=f"9s {upcard} | 7d 5c")
    assert played.question() == "1.1 hit stand double surrender"


def test_insurance_is_asked_of_every_seat_in_order():
    played = play(VEGAS, stakes=THREE, shoe="9s 9d 9c Ah | 8s 8d 8c 5c")
    questions = [played.question()]
    for answers in ("1:insure", "1:insure 2:decline", "1:insure 2:decline 3:insure"):
        played = play(VEGAS, stakes=THREE, shoe="9s 9d 9c Ah | 8s 8d 8c 5c", actions=answers)
        questions.append(played.question())
    assert questions == [
        "1.1 insure decline",
        "2.1 insure decline",
        "3.1 insure decline",
        "1.1 hit stand double surrender",
    ]


def test_insurance_is_asked_of_a_seat_with_a_blackjack_as_well():
    played = play(VEGAS, stakes=THREE, shoe="9s As 9c Ah | 8s Ks 8c 5c", actions="1:decline")
    assert played.question() == "2.1 insure decline"


def test_insurance_is_half_the_stake():
    played = play(VEGAS, stakes={1: 500}, shoe="9s Ah | 8s 5c", actions="1:insure")
    assert (played.story[4], played.insurance) == ("1 insures for 250", ["1: 250 -> 0"])


def test_insurance_is_not_offered_without_the_money_for_it():
    played = play(VEGAS, stakes={1: 1000}, shoe="9s Ah | 8s 5c")
    assert (played.question(funds=499), played.question(funds=500)) == (
        "1.1 decline",
        "1.1 insure decline",
    )
    assert played.refusal("1:insure", funds=499) == "cannot_afford"


def test_the_answers_of_a_later_seat_are_known_before_it_is_asked():
    """A table asks all seats at once, and plays their answers in order."""
    round_ = play(VEGAS, stakes={1: 500, 2: 1000}, shoe="9s 9d Ah | 8s 8d 5c").round
    assert legal_actions.answers(round_, 2, funds=499) == (Action.DECLINE,)
    assert legal_actions.answers(round_, 2, funds=500) == (Action.INSURE, Action.DECLINE)
    hand = round_.seats[2][0]
    legal_actions.verify_insurance(round_, Action.INSURE, hand, funds=500)
    with pytest.raises(RuleViolation, match="enough chips for insurance"):
        legal_actions.verify_insurance(round_, Action.INSURE, hand, funds=499)


@pytest.mark.parametrize("action", ["hit", "stand", "double", "split", "surrender"])
def test_nothing_else_is_done_before_insurance_is_answered(action: str):
    assert play(VEGAS, shoe="8s Ah | 8d 5c").refusal(f"1:{action}") == "insurance_first"


@pytest.mark.parametrize("action", ["insure", "decline"])
def test_insurance_is_answered_once(action: str):
    played = play(VEGAS, shoe="8s Ah | 8d 5c", actions="1:decline")
    assert played.refusal(f"1:{action}") == "cannot_insure"


@pytest.mark.parametrize("action", ["insure", "decline"])
def test_there_is_no_insurance_against_a_ten(action: str):
    assert play(VEGAS, shoe="8s Kh | 8d 5c").refusal(f"1:{action}") == "cannot_insure"


def test_the_dealer_looks_when_all_have_answered():
    played = play(
        VEGAS, stakes={1: 1000, 2: 600}, shoe="9s 9d Ah | 8s 8d 5c", actions="1:insure 2:decline"
    )
    assert played.story[6:] == [
        "1 insures for 500",
        "2 takes no insurance",
        "dealer peeks",
        "1 insurance: 500 pays 0",
    ]


def test_insurance_is_lost_without_a_natural_and_the_round_goes_on():
    played = play(VEGAS, stakes={1: 1000}, shoe="9s Ah | 9d 7c", actions="1:insure 1:stand")
    assert (played.hands, played.insurance) == (["1.1 9s 9d push 1000 -> 1000"], ["1: 500 -> 0"])


def test_insurance_pays_2_to_1_on_a_natural_and_the_round_is_over():
    played = play(
        VEGAS, stakes={1: 1000, 2: 600}, shoe="9s 9d Ah | 8s 8d Kc", actions="1:insure 2:decline"
    )
    assert played.story[8:] == [
        "dealer turns over Kc",
        "1 insurance: 500 pays 1500",
        "1.1 lose: 1000 pays 0",
        "2.1 lose: 600 pays 0",
    ]
    assert (played.insurance, played.question()) == (["1: 500 -> 1500", "2: 0 -> 0"], "nobody")


@pytest.mark.parametrize(
    ("hole", "hand", "insurance"),
    [
        ("Kc", "1.1 As Ks push 1000 -> 1000", "1: 500 -> 1500"),
        ("9c", "1.1 As Ks blackjack 1000 -> 2500", "1: 500 -> 0"),
    ],
    ids=["against a natural", "against none"],
)
def test_an_insured_blackjack_is_even_money(hole: str, hand: str, insurance: str):
    """Staked 1000 and 500, handed back 2500: won 1000, whatever the hole card is."""
    played = play(VEGAS, stakes={1: 1000}, shoe=f"As Ah | Ks {hole}", actions="1:insure")
    assert (played.hands, played.insurance, played.question()) == ([hand], [insurance], "nobody")


def test_a_blackjack_without_insurance_pushes_against_a_natural():
    played = play(VEGAS, stakes={1: 1000}, shoe="As Ah | Ks Kc", actions="1:decline")
    assert (played.hands, played.insurance) == (["1.1 As Ks push 1000 -> 1000"], ["1: 0 -> 0"])


def test_a_blackjack_is_paid_after_the_question_of_insurance():
    played = play(
        VEGAS, stakes={1: 1000, 2: 600}, shoe="As 9d Ah | Ks 8d 9c", actions="1:decline 2:decline"
    )
    assert (played.hands[0], played.question()) == (
        "1.1 As Ks blackjack 1000 -> 2500",
        "2.1 hit stand double surrender",
    )


def test_a_natural_under_a_ten_ends_the_round_before_anybody_is_asked():
    played = play(VEGAS, stakes={1: 1000, 2: 600}, shoe="9s As Kh | 8s Ks Ac")
    assert (played.question(), played.hands) == (
        "nobody",
        ["1.1 9s 8s lose 1000 -> 0", "2.1 As Ks push 600 -> 600"],
    )


def test_a_seat_that_is_away_takes_no_insurance():
    """RULES, quitting: never more than is staked already."""
    at_insurance = play(VEGAS, shoe="8s Ah | 8d 5c").round
    in_play = play(VEGAS, shoe="8s Ah | 8d 5c", actions="1:decline").round
    assert [at_insurance.passive_action, in_play.passive_action] == ["decline", "stand"]


# Late surrender


def test_surrender_gives_half_the_stake_back():
    played = play(VEGAS, stakes={1: 500}, shoe="9s Th | 7s 9c", actions="1:surrender")
    assert (played.hands, played.dealer) == (["1.1 9s 7s surrender 500 -> 250"], "Th 9c")


def test_surrender_passes_the_question_to_the_next_seat():
    played = play(VEGAS, stakes={1: 500, 2: 500}, shoe="9s 9d Th | 7s 8d 9c", actions="1:surrender")
    assert played.question() == "2.1 hit stand double surrender"


def test_the_dealer_draws_nothing_when_all_have_surrendered():
    played = play(
        VEGAS,
        stakes={1: 500, 2: 500},
        shoe="9s 9d 2h | 7s 7d 3c | 4c",
        actions="1:surrender 2:surrender",
    )
    assert played.dealer == "2h 3c"


def test_surrender_comes_after_the_dealers_look():
    """It is late: against a natural the whole stake is lost."""
    played = play(VEGAS, stakes={1: 500}, shoe="9s Kh | 7s Ac")
    assert played.hands == ["1.1 9s 7s lose 500 -> 0"]


@pytest.mark.parametrize("answer", ["insure", "decline"])
def test_surrender_is_offered_after_the_question_of_insurance(answer: str):
    played = play(VEGAS, stakes={1: 1000}, shoe="9s Ah | 7s 9c", actions=f"1:{answer} 1:surrender")
    assert played.hands == ["1.1 9s 7s surrender 1000 -> 500"]


def test_surrender_needs_no_money():
    assert play(VEGAS, shoe="9s Th | 7s 9c").question(funds=0) == "1.1 hit stand surrender"


def test_surrender_is_the_first_decision_or_none():
    played = play(VEGAS, shoe="2s Th | 3s 9c | 4s", actions="1:hit")
    assert played.refusal("1:surrender") == "cannot_surrender"


@pytest.mark.parametrize("actions", ["1:split", "1:split 1.1:stand"])
def test_a_split_hand_is_not_surrendered(actions: str):
    played = play(VEGAS, shoe="8s Th | 8d 9c | 7s 7d", actions=actions)
    assert played.refusal("1:surrender") == "cannot_surrender"


def test_the_other_seats_play_on_after_a_surrender():
    played = play(
        VEGAS,
        stakes={1: 500, 2: 500},
        shoe="9s 9d Th | 7s Td 8c",
        actions="1:surrender 2:stand",
    )
    assert played.hands == ["1.1 9s 7s surrender 500 -> 250", "2.1 9d Td win 500 -> 1000"]
