"""When a shoe is opened, and that everybody can check what was dealt from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from django.test import Client

from accounts.lib.sql import optimistic
from accounts.models import User
from tables.engine.provably_fair import proof
from tables.models import Change, Round, Shoe
from tables.protocol import codec
from tables.protocol.public import PublicShoe
from tables.realtime import presence
from tables.records import round_page
from tests.helpers import changes
from tests.helpers.rounds import new_table, of_type, play_round, shoe_in_use, sit_down, types
from tests.helpers.table_client import TableClient, events

pytestmark = pytest.mark.django_db

OPENED_AND_SEALED = ["shoe_opened", "shoe_sealed"]
A_SHOE_A_ROUND = ["classic", "heads-up", "pot", "casino"]


def opened_and_sealed() -> list[dict[str, Any]]:
    """The events that must have told of the latest two shoes."""
    new, old = Shoe.objects.order_by("-pk")[:2]
    return [
        {"type": "shoe_opened", "shoe": old.pk, "secret": old.secret, "number": old.number},
        {"type": "shoe_sealed", "shoe": new.pk, "commitment": new.commitment, "number": new.number},
    ]


# When


@pytest.mark.parametrize("key", A_SHOE_A_ROUND)
@pytest.mark.parametrize("seed", range(3))
def test_a_shoe_for_one_round_is_opened_at_its_end_and_the_next_one_is_sealed(
    key: str, seed: int, ann: User
) -> None:
    at = new_table(key)
    at.sit(ann, 1)
    sealed, game_shoe = at.view.shoe, at.live.game.shoe
    assert sealed is not None
    assert game_shoe is not None
    event_dicts = play_round(at, [ann], Random(seed))
    assert event_dicts[-2:] == of_type(event_dicts, *OPENED_AND_SEALED) == opened_and_sealed()
    old, new = Shoe.objects.order_by("pk")
    assert sha256(bytes.fromhex(old.secret)).hexdigest() == old.commitment == sealed.commitment
    assert (old.secret, old.retired_at) == (game_shoe.secret.hex(), at.now)
    assert (new.secret, new.retired_at) == ("", None)
    assert (old.retired_because, new.retired_because) == ("every_round", "")
    assert at.view.shoe == PublicShoe(new.pk, new.number, new.commitment, 52, 52, None)


def test_a_round_that_is_over_with_the_deal_opens_its_shoe_with_the_bet(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("As 9h Kd 7c")
    casino.sit(ann, 1)
    bet = casino.bet(ann, 1500)
    assert len(bet.changes) == 1
    assert events(bet)[-3:] == [
        {"type": "hole_card_revealed", "card": "7c"},
        *opened_and_sealed(),
    ]


@pytest.mark.parametrize("seed", range(2))
def test_a_long_shoe_goes_on_until_the_cut_card_is_out(
    seed: int, vegas: TableClient, ann: User, ben: User, cleo: User
) -> None:
    sit_down(vegas, ann, ben, cleo, adds_words=True)
    first = vegas.view.shoe
    assert first is not None
    chance, remaining, dealt = Random(seed), 312, 0
    for _ in range(60):
        event_dicts = play_round(vegas, [ann, ben, cleo], chance)
        dealt += len(of_type(event_dicts, "card_dealt", "dealer_card_dealt"))
        shoe = vegas.view.shoe
        assert shoe is not None
        if dealt >= 234:
            break
        assert of_type(event_dicts, *OPENED_AND_SEALED) == []
        remaining = 312 - dealt
        assert shoe == PublicShoe(first.id, 1, first.commitment, 312, remaining, 234)
        assert Shoe.objects.get().secret == ""
    assert 312 - 234 < remaining < 312 - 180
    assert event_dicts[-2:] == of_type(event_dicts, *OPENED_AND_SEALED) == opened_and_sealed()
    new = Shoe.objects.latest("pk")
    assert Shoe.objects.earliest("pk").retired_because == "cut_card"
    assert shoe == PublicShoe(new.pk, new.number, new.commitment, 312, 312, 234)


def test_the_shoe_is_not_opened_inside_the_round_in_which_the_cut_card_comes_out(
    vegas: TableClient, ann: User
) -> None:
    vegas.sit(ann, 1)
    play_round(vegas, [ann], Random(1))
    deal_down_to(vegas, 80)
    vegas.bet(ann, 500)
    for _ in range(10):
        if vegas.view.asked is None:
            break
        assert vegas.view.shoe is not None
        assert Shoe.objects.get().retired_at is None
        vegas.time_is_up()
    assert Shoe.objects.count() == 2
    assert Shoe.objects.earliest("pk").retired_at is not None


@pytest.mark.parametrize(("dealt", "is_opened"), [(228, False), (229, True)])
def test_the_cut_card_lies_behind_234_of_312_cards(
    dealt: int, is_opened: bool, vegas: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    """RULES, vegas: "6, at the cut card (75% dealt)"."""
    a_round = "Ts 6h 9d Kc 5h"
    stack(f"{a_round} {'2c ' * (dealt - 5)} {a_round} {'2c ' * (312 - dealt - 5)}")
    vegas.sit(ann, 1)
    vegas.bet(ann, 500)
    vegas.act(ann, "stand")
    deal_down_to(vegas, 312 - dealt)
    vegas.bet(ann, 500)
    event_dicts = events(vegas.act(ann, "stand"))
    assert types(event_dicts)[-2:] == (
        OPENED_AND_SEALED if is_opened else ["dealer_card_dealt", "hand_settled"]
    )


def deal_down_to(at: TableClient, remaining: int) -> None:
    """Pretend that all but ``remaining`` cards of the shoe in use were dealt in earlier rounds."""
    row = at.row
    state = json.loads(row.state)
    state["shoe"]["cards"]["dealt"] = row.rules.cards - remaining
    row.state = codec.encode(state)
    row.save(update_fields=["state"])
    optimistic.forget_all()


@pytest.mark.parametrize("how", ["leaves", "is gone", "quits in mid-round"])
def test_a_long_shoe_is_opened_when_the_table_empties(
    how: str, vegas: TableClient, ann: User, ben: User
) -> None:
    sit_down(vegas, ann, ben, adds_words=True)
    play_round(vegas, [ann, ben], Random(4))
    assert types(events(vegas.leave(ben))) == ["player_left"]
    event_dicts: list[dict[str, Any]] = []
    if how == "leaves":
        event_dicts = events(vegas.leave(ann))
    elif how == "is gone":
        for seconds in (10, 60):
            vegas.later(seconds)
            for change in presence.update_table(vegas.table_id, "nobody's", {}, vegas.now).changes:
                event_dicts += change.changed.events
    else:
        vegas.bet(ann, 500)
        event_dicts = events(vegas.leave(ann))
    assert types(event_dicts)[-3:] == ["player_left", *OPENED_AND_SEALED]
    assert event_dicts[-2:] == opened_and_sealed()
    assert Shoe.objects.earliest("pk").retired_because == "table_empty"


def test_a_sealed_shoe_that_was_never_dealt_from_stays_sealed(
    vegas: TableClient, ann: User, ben: User
) -> None:
    sit_down(vegas, ann, ben, adds_words=True)
    sealed = vegas.view.shoe
    vegas.bet(ann, 500, words="never mixed in")
    vegas.leave(ann)
    vegas.leave(ben)
    assert vegas.view.shoe == sealed
    assert Shoe.objects.get().secret == ""


def test_a_game_of_piles_opens_its_deck_with_the_end_of_the_game_alone(
    piles: TableClient, ann: User
) -> None:
    piles.sit(ann, 1)
    first = shoe_in_use(piles)
    chance = Random(2)
    hands = 1
    while not of_type(event_dicts := play_round(piles, [ann], chance), "game_ended"):
        hands += 1
        assert of_type(event_dicts, *OPENED_AND_SEALED) == []
        assert shoe_in_use(piles) == first
        assert Shoe.objects.get().secret == ""
    assert hands > 1
    assert types(event_dicts)[-3:] == ["game_ended", *OPENED_AND_SEALED]
    assert event_dicts[-2:] == opened_and_sealed()
    first.refresh_from_db()
    assert first.retired_because == "game_over"
    assert Round.objects.filter(shoe=first).count() == hands


# Checked


def play_shoes(key: str, players: list[User], seed: int) -> list[Shoe]:
    """Real rounds until a shoe is done with, and once more; the shoes that were opened."""
    at = new_table(key)
    players = players[: at.row.rules.seats]
    sit_down(at, *players, adds_words=True)
    chance = Random(seed)
    opened = 0
    while opened < (1 if key == "vegas" else 2):
        opened += len(of_type(play_round(at, players, chance), "shoe_opened"))
    return list(Shoe.objects.filter(table=at.table_id, retired_at__isnull=False))


@pytest.mark.parametrize("key", [*A_SHOE_A_ROUND, "piles", "vegas"])
@pytest.mark.parametrize("seed", range(2))
def test_every_round_that_was_dealt_can_be_checked_by_anybody(
    key: str, seed: int, ann: User, ben: User, cleo: User, client: Client
) -> None:
    for shoe in play_shoes(key, [ann, ben, cleo], seed):
        rounds = list(shoe.rounds.order_by("pk"))
        published = client.get(f"/rounds/{rounds[0].pk}/proof.json").json()
        assert list(proof.find_proof_faults(published)) == []
        assert published == json.loads(json.dumps(round_page.build_proof(shoe)))
        assert [entry["round"] for entry in published["rounds"]] == [row.pk for row in rounds]
        (first, *_) = published["words"]
        assert (first["seat"], first["words"]) == (1, "words of seat 1")
        cards_by_round = [entry["cards"].split() for entry in published["rounds"]]
        firsts = [entry["first"] for entry in published["rounds"]]
        lengths = [len(cards) for cards in cards_by_round]
        assert firsts == [sum(lengths[:place]) for place in range(len(cards_by_round))]
        for row, cards in zip(rounds, cards_by_round, strict=True):
            hands = [hand.cards for hand in row.results.all().list_hands()]
            on_the_table = " ".join([row.dealer_cards, *hands]).split()
            assert sorted(cards) == sorted(on_the_table)


def test_what_is_published_of_a_shoe_in_use_proves_nothing_yet(
    vegas: TableClient, ann: User
) -> None:
    vegas.sit(ann, 1)
    play_round(vegas, [ann], Random(3))
    published = round_page.build_proof(shoe_in_use(vegas))
    assert published["secret"] is None
    assert len(published["rounds"]) == 1
    with pytest.raises(proof.ProofError, match="still sealed"):
        list(proof.find_proof_faults(published))


# Forged


@pytest.fixture
def honest(ann: User, ben: User) -> Shoe:
    """An opened shoe of the pot, with a round of two players."""
    (shoe, _) = reversed(play_shoes("pot", [ann, ben], 5))
    assert list(proof.find_proof_faults(round_page.build_proof(shoe))) == []
    return shoe


@pytest.mark.parametrize("kind", ["card_dealt", "dealer_card_dealt", "hole_card_revealed"])
def test_a_card_that_was_forged_in_what_was_told_is_found(honest: Shoe, kind: str) -> None:
    (row,) = honest.rounds.all()
    for change in Change.objects.filter(round=row):
        for event in change.events:
            if event["type"] == kind and event["card"] is not None:
                event["card"] = "As" if event["card"] != "As" else "Kd"
                changes.rewrite(change)
                (fault,) = proof.find_proof_faults(round_page.build_proof(honest))
                assert str(fault).startswith(f"Round {row.pk} was dealt ")
                return
    pytest.fail(f"no {kind} was told")


def test_cards_that_were_told_in_another_order_are_found(honest: Shoe) -> None:
    (row,) = honest.rounds.all()
    (change,) = changes.find_by_event(row, "hole_card_revealed")
    first = changes.find_by_event(row, "card_dealt")[0]
    assert first != change
    dealt = of_type(first.events, "card_dealt")
    dealt[0]["card"], dealt[1]["card"] = dealt[1]["card"], dealt[0]["card"]
    changes.rewrite(first)
    assert len(list(proof.find_proof_faults(round_page.build_proof(honest)))) == 1


@pytest.mark.parametrize(
    ("field", "forged", "found"),
    [
        ("secret", "00" * 32, ["seal", "cards"]),
        ("commitment", "00" * 32, ["seal"]),
        ("words", '[[1,"others"]]', ["words_seats", "words_commitment", "cards"]),
        ("words", "[]", ["words_seats", "cards"]),
        ("decks", 2, ["decks", "cards"]),
        ("retired_because", "cut_card", ["retired"]),
    ],
)
def test_a_shoe_that_was_exchanged_afterwards_is_found(
    honest: Shoe, field: str, forged: object, found: list[str]
) -> None:
    Shoe.objects.filter(pk=honest.pk).update(**{field: forged})
    faults = proof.find_proof_faults(round_page.build_proof(Shoe.objects.get(pk=honest.pk)))
    assert [fault.reason for fault in faults] == found


def test_a_round_that_began_elsewhere_in_the_shoe_is_found(honest: Shoe) -> None:
    honest.rounds.update(first_card=1)
    faults = proof.find_proof_faults(round_page.build_proof(honest))
    assert [fault.reason for fault in faults] == ["first", "cards"]
