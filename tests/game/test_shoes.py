"""A shoe is sealed before the bets, put in order by the first of them, and opened in the end."""

from __future__ import annotations

import json
from random import Random

import pytest
from django.db import transaction

from accounts.models import User
from tables.engine.cards import Card
from tables.engine.presets import PRESETS
from tables.engine.provably_fair import proof, shuffle
from tables.game import shoes
from tables.models import Shoe
from tables.protocol import codec
from tables.protocol.public import PublicShoe
from tables.realtime import snapshots
from tables.records import round_page
from tables.state import commitments
from tables.state.live_table import LiveTable
from tests.helpers.rounds import after, new_table, play_round, shoe_in_use, sit_down, types
from tests.helpers.table_client import TableClient, code, events, fingerprint

pytestmark = pytest.mark.django_db

SIZES = {
    "classic": (52, None),
    "heads-up": (52, None),
    "piles": (52, None),
    "pot": (52, None),
    "casino": (52, None),
    "vegas": (312, 234),
}


def order(at: TableClient) -> tuple[Card, ...] | None:
    """The whole shoe as it lies in the private state, if it has an order yet."""
    shoe = at.live.game.shoe
    assert shoe is not None
    return shoe.cards.cards if shoe.cards else None


def secret(at: TableClient) -> bytes:
    shoe = at.live.game.shoe
    assert shoe is not None
    return shoe.secret


def words_of(shoe: int) -> list[dict[str, object]]:
    words: list[dict[str, object]] = Shoe.objects.get(pk=shoe).mixed_in
    return words


# Sealed before anybody can bet


@pytest.mark.parametrize("key", PRESETS)
def test_who_sits_down_first_is_shown_a_sealed_shoe(key: str, ann: User) -> None:
    at = new_table(key)
    assert at.view.shoe is None
    sat = at.sit(ann, 1)
    shoe = Shoe.objects.get()
    assert events(sat) == [
        {"type": "player_sat", "seat": 1, "player": "ann"},
        {"type": "shoe_sealed", "shoe": shoe.pk, "commitment": shoe.commitment, "number": 1},
    ]
    size, cut = SIZES[key]
    public = PublicShoe(shoe.pk, 1, shoe.commitment, size, size, cut)
    assert after(sat).shoe == public
    assert snapshots.table_snapshot(at.table_id, ann.pk, at.now).table.shoe == public
    assert (shoe.secret, shoe.mixed_in, shoe.retired_at, shoe.decks) == ("", [], None, size // 52)


def test_who_sits_down_later_finds_the_same_shoe(casino: TableClient, ann: User, ben: User) -> None:
    casino.sit(ann, 1)
    sealed = casino.view.shoe
    assert types(events(casino.sit(ben, 2))) == ["player_sat"]
    casino.bet(ben, 1000)
    casino.leave(ben)
    casino.leave(ann)
    casino.sit(ben, 1)
    assert casino.view.shoe == sealed
    assert Shoe.objects.count() == 1


def test_no_two_shoes_have_the_same_secret(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    secrets = {secret(casino)}
    for seed in range(5):
        play_round(casino, [ann], Random(seed))
        secrets.add(secret(casino))
    assert len(secrets) == 6
    assert {len(secret) for secret in secrets} == {shuffle.SECRET_BYTES}


# The players' words


def build_entry(seat: int, words: str) -> dict[str, object]:
    """What the shoe has of a seat that had committed and showed its words."""
    return {"seat": seat, "commitment": shuffle.compute_commitment(seat, words), "words": words}


def silent(seat: int) -> dict[str, object]:
    """What it has of a seat that bet and had not committed in time."""
    return {"seat": seat, "commitment": None, "words": ""}


def absent(seat: int, words: str) -> dict[str, object]:
    """What it has of a seat that had committed and did not bet."""
    return build_entry(seat, words) | {"words": None}


def test_the_words_of_all_who_bet_first_are_mixed_in_by_seat(
    pot: TableClient, ann: User, ben: User, cleo: User
) -> None:
    pot.sit(ann, 1, words="from ann: 1 ~")
    pot.sit(ben, 2)
    pot.sit(cleo, 3, words="from cleo")
    sealed, shoe = secret(pot), shoe_in_use(pot)
    pot.bet(cleo, 200)
    pot.bet(ann, 200)
    assert order(pot) is None
    assert words_of(shoe.pk) == []
    pot.bet(ben, 200)
    words = [(1, "from ann: 1 ~"), (3, "from cleo")]
    assert order(pot) == shuffle.shuffle_shoe(sealed, f"shoe:{shoe.pk}", words, 1)
    assert words_of(shoe.pk) == [
        build_entry(1, "from ann: 1 ~"),
        silent(2),
        build_entry(3, "from cleo"),
    ]


def test_all_words_are_told_with_who_gave_them_before_the_first_card(
    pot: TableClient, ann: User, ben: User, cleo: User
) -> None:
    sit_down(pot, ann, ben, cleo, adds_words=True)
    shoe = shoe_in_use(pot)
    pot.bet(ann, 200)
    pot.bet(cleo, 200)
    (change,) = pot.time_is_up()
    event_dicts = change.changed.events
    assert types(event_dicts)[:3] == ["clock_ran_out", "shoe_shuffled", "card_dealt"]
    assert event_dicts[1] == {
        "type": "shoe_shuffled",
        "shoe": shoe.pk,
        "words": [
            {"player": "ann", **build_entry(1, "words of seat 1")},
            {"player": "cleo", **build_entry(3, "words of seat 3")},
        ],
        "absent": [
            {
                "seat": 2,
                "player": "ben",
                "commitment": shuffle.compute_commitment(2, "words of seat 2"),
            },
        ],
        "number": 1,
    }
    assert words_of(shoe.pk)[1] == absent(2, "words of seat 2")


def test_other_words_make_another_order(vegas: TableClient, ann: User) -> None:
    """The house cannot choose the cards: it has sealed its part before it hears the words."""
    vegas.sit(ann, 1, words="mine")
    sealed, shoe = secret(vegas), shoe_in_use(vegas)
    vegas.bet(ann, 500)
    assert order(vegas) == shuffle.shuffle_shoe(sealed, shoe.label, [(1, "mine")], 6)
    assert order(vegas) != shuffle.shuffle_shoe(sealed, shoe.label, [(1, "other")], 6)


# Committed to before anybody shows words


def test_case_44_everybody_sees_what_a_seat_has_committed_to_and_not_the_words(
    vegas: TableClient, ann: User, ben: User
) -> None:
    vegas.sit(ben, 2)
    sat = vegas.sit(ann, 1, words="unguessable")
    seat = after(sat).seats[0]
    assert seat.commitment == shuffle.compute_commitment(1, "unguessable")
    assert after(sat).seats[1].commitment is None
    bet = vegas.bet(ann, 500)
    assert "unguessable" not in codec.encode(bet.changes[0].changed)


def test_case_44_other_words_than_those_committed_to_are_refused(
    vegas: TableClient, ann: User, ben: User
) -> None:
    sit_down(vegas, ann, ben, adds_words=True)
    before = fingerprint(vegas)
    assert code(vegas.bet(ann, 500, words="ground")) == "bad_words"
    assert code(vegas.bet(ann, 500, words="words of seat 2")) == "bad_words"
    assert code(vegas.bet(ann, 500, words="")) == "words_not_shown"
    assert fingerprint(vegas) == before


def test_case_44_the_last_who_bets_cannot_choose_words_knowing_the_others(
    vegas: TableClient, ann: User, ben: User, cleo: User
) -> None:
    sit_down(vegas, ann, ben, adds_words=True)
    shoe = shoe_in_use(vegas)
    vegas.bet(ann, 500)
    # Ann's words are known. What anybody commits to now is for the shoe after this one.
    vegas.sit(cleo, 3, words="ground")
    assert vegas.view.seats[2].commitment is None
    assert code(vegas.commit(ben, 2, "ground as well")) == "done"
    assert code(vegas.bet(ben, 500)) == "bad_words"
    assert code(vegas.bet(ben, 500, words="words of seat 2")) == "done"
    assert code(vegas.bet(cleo, 500)) == "done"
    assert words_of(shoe.pk) == [
        build_entry(1, "words of seat 1"),
        build_entry(2, "words of seat 2"),
        silent(3),
    ]
    seats = vegas.view.seats
    assert seats[2].commitment == shuffle.compute_commitment(3, "ground")


def test_who_has_no_words_bets_without_and_changes_no_card(
    pot: TableClient, ann: User, ben: User
) -> None:
    pot.sit(ann, 1, words="of ann")
    pot.sit(ben, 2)
    sealed, shoe = secret(pot), shoe_in_use(pot)
    pot.bet(ann, 200)
    pot.bet(ben, 200, words="whatever")
    assert order(pot) == shuffle.shuffle_shoe(sealed, shoe.label, [(1, "of ann")], 1)


def test_case_44_who_commits_and_does_not_bet_keeps_the_commitment(
    vegas: TableClient, ann: User, ben: User
) -> None:
    sit_down(vegas, ann, ben, adds_words=True)
    shoe = shoe_in_use(vegas)
    vegas.bet(ann, 500)
    vegas.time_is_up()
    assert words_of(shoe.pk) == [build_entry(1, "words of seat 1"), absent(2, "words of seat 2")]
    assert vegas.view.seats[1].commitment == shuffle.compute_commitment(2, "words of seat 2")


def test_a_seat_that_is_freed_with_the_deal_is_on_record(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben, adds_words=True)
    for _ in range(2):
        shoe = shoe_in_use(casino)
        casino.bet(ann, 1000)
        casino.time_is_up()
        while casino.view.asked:
            casino.act(ann, "stand")
    assert casino.view.seats[1].player is None
    assert words_of(shoe.pk)[1] == absent(2, "words of seat 2")


def test_a_bet_that_is_taken_back_adds_nothing_and_its_words_stay_shown(
    vegas: TableClient, ann: User, ben: User
) -> None:
    sit_down(vegas, ann, ben, adds_words=True)
    shoe = shoe_in_use(vegas)
    vegas.bet(ann, 500)
    vegas.bet(ann, 1000, words="")
    vegas.take_back(ann)
    vegas.bet(ann, 500)
    vegas.take_back(ann)
    assert vegas.live.game.words == {}
    vegas.bet(ben, 500)
    vegas.bet(ann, 500, words="words of seat 1")
    assert words_of(shoe.pk) == [
        build_entry(1, "words of seat 1"),
        build_entry(2, "words of seat 2"),
    ]


def test_words_that_were_shown_hold_while_another_bet_lies(
    vegas: TableClient, ann: User, ben: User, cleo: User
) -> None:
    sit_down(vegas, ann, ben, cleo, adds_words=True)
    vegas.bet(ann, 500)
    vegas.bet(ben, 500)
    vegas.take_back(ben)
    vegas.commit(ben, 2, "better ones")
    assert code(vegas.bet(ben, 500)) == "bad_words"
    assert code(vegas.bet(ben, 500, words="words of seat 2")) == "done"


def test_when_no_bet_is_left_new_words_are_shown_for_the_same_shoe(
    vegas: TableClient, ann: User, ben: User
) -> None:
    vegas.sit(ann, 1, words="first")
    vegas.sit(ben, 2, words="of ben")
    shoe = shoe_in_use(vegas)
    vegas.bet(ann, 500)
    vegas.commit(ann, 1, "second")
    vegas.take_back(ann)
    assert vegas.view.seats[0].commitment == shuffle.compute_commitment(1, "second")
    assert code(vegas.bet(ann, 500, words="first")) == "bad_words"
    assert code(vegas.bet(ann, 500)) == "done"
    vegas.bet(ben, 500)
    assert words_of(shoe.pk) == [build_entry(1, "second"), build_entry(2, "of ben")]


def test_case_44_who_has_committed_and_leaves_when_words_were_shown_is_on_record(
    pot: TableClient, ann: User, ben: User, cleo: User
) -> None:
    """Leaving is a way not to bet, and somebody else may take the seat at once."""
    sit_down(pot, ann, ben, adds_words=True)
    pot.sit(cleo, 3)
    shoe = shoe_in_use(pot)
    pot.bet(ann, 200)
    pot.bet(ben, 200)
    pot.take_back(ben)
    pot.leave(ben)
    pot.leave(cleo)
    entry = absent(2, "words of seat 2")
    assert words_of(shoe.pk) == [build_entry(1, "words of seat 1"), entry]
    while pot.view.asked:
        pot.act(ann, "stand")
    assert list(proof.find_proof_faults(round_page.build_proof(Shoe.objects.get(pk=shoe.pk)))) == []
    assert pot.live.game.gone == {}


def test_a_restored_site_has_nobody_of_before_on_record(
    vegas: TableClient, ann: User, ben: User, cleo: User
) -> None:
    sit_down(vegas, ann, ben, cleo, adds_words=True)
    vegas.bet(ann, 500)
    vegas.leave(ben)
    game = vegas.live.game
    assert list(game.gone) == [2]
    commitments.discard_all(game)
    assert commitments.list_contributions(game) == [silent(1)]


def test_case_44_who_takes_the_seat_of_who_left_adds_nothing_and_hides_nothing(
    pot: TableClient, ann: User, ben: User, cleo: User
) -> None:
    sit_down(pot, ann, ben, adds_words=True)
    pot.sit(cleo, 3)
    shoe = shoe_in_use(pot)
    pot.bet(ann, 200)
    pot.leave(ben)
    pot.sit(ben, 2, words="ground")
    pot.bet(ben, 200)
    (change,) = pot.time_is_up()
    (event,) = [one for one in change.changed.events if one["type"] == "shoe_shuffled"]
    assert [one["player"] for one in event["words"]] == ["ann", "ben"]
    assert event["absent"][0]["commitment"] == shuffle.compute_commitment(2, "words of seat 2")
    assert words_of(shoe.pk)[1:] == [silent(2), absent(2, "words of seat 2")]
    while pot.view.asked:
        pot.time_is_up()
    assert list(proof.find_proof_faults(round_page.build_proof(Shoe.objects.get(pk=shoe.pk)))) == []


def test_who_leaves_and_comes_back_after_words_were_shown_adds_nothing(
    vegas: TableClient, ann: User, ben: User, cleo: User
) -> None:
    sit_down(vegas, ann, ben, adds_words=True)
    shoe = shoe_in_use(vegas)
    vegas.bet(ben, 500)
    vegas.leave(ann)
    assert words_of(shoe.pk) == [absent(1, "words of seat 1"), build_entry(2, "words of seat 2")]
    vegas.sit(cleo, 1, words="of cleo")
    assert vegas.view.seats[0].commitment == shuffle.compute_commitment(1, "of cleo")


def test_who_comes_back_bets_with_new_words(vegas: TableClient, ann: User, ben: User) -> None:
    sit_down(vegas, ann, ben, adds_words=True)
    shoe = shoe_in_use(vegas)
    vegas.bet(ann, 500)
    vegas.leave(ann)
    vegas.sit(ann, 1, words="second")
    vegas.bet(ann, 500)
    vegas.bet(ben, 500)
    assert words_of(shoe.pk) == [build_entry(1, "second"), build_entry(2, "words of seat 2")]


def test_a_bet_brings_the_commitment_for_the_shoe_after(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1, words="of ann")
    play_round(casino, [ann], Random(1))
    assert casino.view.seats[0].commitment == shuffle.compute_commitment(1, "of ann")
    first, second = Shoe.objects.order_by("pk")
    assert (words_of(first.pk), words_of(second.pk)) == ([build_entry(1, "of ann")], [])
    play_round(casino, [ann], Random(2))
    assert words_of(second.pk) == [build_entry(1, "of ann")]


def test_a_seat_commits_anew_ten_times_before_a_shuffle_at_most(
    vegas: TableClient, ann: User
) -> None:
    vegas.sit(ann, 1)
    for number in range(10):
        assert code(vegas.commit(ann, 1, f"words {number}")) == "done"
    before = fingerprint(vegas)
    assert code(vegas.commit(ann, 1, "once more")) == "too_fast"
    assert fingerprint(vegas) == before
    assert code(vegas.bet(ann, 500, words="words 9")) == "done"
    assert code(vegas.commit(ann, 1, "next")) == "done"


def test_who_has_no_seat_commits_to_nothing(vegas: TableClient, ann: User) -> None:
    assert code(vegas.commit(ann, 1, "of ann")) == "not_seated"


def test_words_for_a_shoe_that_is_put_away_unplayed_are_not_used_for_the_next(
    vegas: TableClient, ann: User, ben: User
) -> None:
    """The house knows them when it draws the secret of the next one."""
    sit_down(vegas, ann, ben, adds_words=True)
    vegas.bet(ann, 500)
    live = vegas.live
    shoes.retire_if_incompatible(live, decks=2)
    assert live.game.words == {}
    assert live.game.commitments[1] == shuffle.compute_commitment(
        1, "words of seat 1"
    )  # with the bet
    assert [one["commitment"] for one in commitments.list_contributions(live.game)] == [
        None,
        shuffle.compute_commitment(2, "words of seat 2"),
    ]


def test_words_of_later_rounds_change_nothing_about_a_shoe_in_use(
    vegas: TableClient, ann: User, ben: User
) -> None:
    vegas.sit(ann, 1, words="words of seat 1")
    shoe = shoe_in_use(vegas)
    play_round(vegas, [ann], Random(1))
    vegas.sit(ben, 2)
    before = order(vegas)
    assert before is not None
    vegas.bet(ann, 500, words="too late")
    vegas.bet(ben, 500, words="too late as well")
    assert words_of(shoe.pk) == [build_entry(1, "words of seat 1")]
    assert order(vegas) == before
    assert vegas.live.game.words == {}


def test_a_shoe_that_was_sealed_before_players_committed_is_shuffled_as_it_was_meant(
    vegas: TableClient, ann: User, ben: User
) -> None:
    vegas.sit(ann, 1)
    vegas.sit(ben, 2)
    sealed, shoe = secret(vegas), shoe_in_use(vegas)
    row = vegas.row
    state = json.loads(row.state)
    del state["shoe"]["method"]
    assert not state.keys() & {"commitments", "next_commitments"}
    state["bets"], state["words"] = {"1": 500}, {"1": "of ann"}
    row.state = codec.encode(state)
    row.save(update_fields=["state"])
    Shoe.objects.update(method=shuffle.FIRST_METHOD)
    with transaction.atomic():
        live = LiveTable.lock(vegas.table_id, vegas.now)
        cards = shoes.open_for_round(live)
    method = shuffle.FIRST_METHOD
    assert cards.cards == shuffle.shuffle_shoe(sealed, shoe.label, [(1, "of ann")], 6, method)


@pytest.mark.parametrize(
    "words", ["two\nlines", "a\rb", "tab\t", "\x00", "\x7f", "é", "♠", "１", "x" * 65]
)
def test_words_that_cannot_be_written_on_one_line_are_refused(
    casino: TableClient, ann: User, ben: User, words: str
) -> None:
    sit_down(casino, ann, ben, adds_words=True)
    before = fingerprint(casino)
    assert code(casino.bet(ann, 1000, words=words)) == "bad_words"
    assert fingerprint(casino) == before
    assert words_of(shoe_in_use(casino).pk) == []


@pytest.mark.parametrize("words", ['"two\\nlines"', '"é\\u0000"', f'"{"x" * 65}"', "5", "null"])
def test_words_like_that_are_no_command_or_no_words_on_the_wire(
    casino: TableClient, ann: User, words: str
) -> None:
    casino.sit(ann, 1)
    before = fingerprint(casino)
    text = (
        '{"t":"bet","id":"6c3b1a3e-4f0f-4a58-8a87-6f3b6f1c6a01",'
        f'"turn":{casino.row.turn},"stake":1000,"words":{words}}}'
    )
    assert refusal_of(casino, ann, text) in {"bad_cmd", "bad_words", "bad_text"}
    assert fingerprint(casino) == before


@pytest.mark.parametrize("words", ["", " ", "x" * 64, "1:~!@#$%^&*()_+{}|\"'<>?/\\`"])
def test_all_other_words_are_taken(vegas: TableClient, ann: User, words: str) -> None:
    vegas.sit(ann, 1, words=words)
    shoe = shoe_in_use(vegas)
    assert code(vegas.bet(ann, 500)) == "done"
    assert words_of(shoe.pk) == [build_entry(1, words)]


# In order before the first card


@pytest.mark.parametrize("key", ["classic", "pot", "piles", "vegas"])
@pytest.mark.parametrize("seed", range(3))
def test_nothing_that_anybody_does_changes_the_order_of_a_shoe_in_use(
    key: str, seed: int, ann: User, ben: User, cleo: User
) -> None:
    at = new_table(key)
    players = [ann, ben][: at.row.rules.seats]
    sit_down(at, *players, adds_words=True)
    at.bet(players[0], 0 if at.row.rules.stakes is None else 500)
    if len(players) == 2:
        at.time_is_up()
    first, words = order(at), words_of(shoe_in_use(at).pk)
    shoe, chance, dealt = shoe_in_use(at), Random(seed), 0
    for _ in range(20):
        game = at.live.game
        assert game.shoe is not None
        if game.shoe.id != shoe.pk or game.shoe.cards is None:
            break
        assert game.shoe.cards.cards == first
        assert game.shoe.cards.dealt >= dealt
        dealt = game.shoe.cards.dealt
        decision = at.view.asked
        if decision is None:
            break
        at.sit(cleo, 3)
        if chance.random() < 0.3:
            at.time_is_up()
        else:
            at.act(players[decision.seat - 1], chance.choice(decision.legal))
    assert dealt > 0
    assert words_of(shoe.pk) == words


def refusal_of(at: TableClient, user: User, text: str) -> str:
    """The code with which a frame is refused, on being read or at the table."""
    try:
        command = codec.decode_command(text)
    except codec.FrameError as unreadable:
        return unreadable.code
    return code(at.send(user, command))
