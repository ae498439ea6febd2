"""A shoe is sealed before the bets, put in order by the first of them, and opened in the end."""

from __future__ import annotations

from random import Random

import pytest

from accounts.models import User
from tables import house, protocol
from tables.engine import fair
from tables.engine.cards import Card
from tables.engine.presets import PRESETS
from tables.messages import PublicShoe
from tables.models import Shoe
from tests.at_table import AtTable, code, events, fingerprint
from tests.tables.evenings import (
    after,
    new_table,
    play_round,
    shoe_in_use,
    sit_down,
    types,
)

pytestmark = pytest.mark.django_db

SIZES = {
    "classic": (52, None),
    "heads-up": (52, None),
    "piles": (52, None),
    "pot": (52, None),
    "casino": (52, None),
    "vegas": (312, 234),
}


def order(at: AtTable) -> tuple[Card, ...] | None:
    """The whole shoe as it lies in the private state, if it has an order yet."""
    shoe = at.live.game.shoe
    assert shoe is not None
    return shoe.cards.cards if shoe.cards else None


def secret(at: AtTable) -> bytes:
    shoe = at.live.game.shoe
    assert shoe is not None
    return shoe.secret


def words_of(shoe: int) -> list[list[object]]:
    words: list[list[object]] = Shoe.objects.get(pk=shoe).words
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
        {"type": "shoe_sealed", "shoe": shoe.pk, "commitment": shoe.commitment},
    ]
    size, cut = SIZES[key]
    public = PublicShoe(shoe.pk, shoe.commitment, size, size, cut)
    assert after(sat).shoe == public
    assert house.snapshot(at.table_id, ann.pk, at.now).table.shoe == public
    assert (shoe.secret, shoe.words, shoe.retired_at, shoe.decks) == ("", [], None, size // 52)


def test_who_sits_down_later_finds_the_same_shoe(casino: AtTable, ann: User, ben: User) -> None:
    casino.sit(ann, 1)
    sealed = casino.view.shoe
    assert types(events(casino.sit(ben, 2))) == ["player_sat"]
    casino.bet(ben, 1000)
    casino.leave(ben)
    casino.leave(ann)
    casino.sit(ben, 1)
    assert casino.view.shoe == sealed
    assert Shoe.objects.count() == 1


def test_no_two_shoes_have_the_same_secret(casino: AtTable, ann: User) -> None:
    casino.sit(ann, 1)
    secrets = {secret(casino)}
    for seed in range(5):
        play_round(casino, [ann], Random(seed))
        secrets.add(secret(casino))
    assert len(secrets) == 6
    assert {len(secret) for secret in secrets} == {fair.SECRET_BYTES}


# The players' words


def test_the_words_of_all_who_bet_first_are_mixed_in_by_seat(
    pot: AtTable, ann: User, ben: User, cleo: User
) -> None:
    sit_down(pot, ann, ben, cleo)
    sealed, shoe = secret(pot), shoe_in_use(pot)
    pot.bet(cleo, 200, words="from cleo")
    pot.bet(ann, 200, words="from ann: 1 ~")
    assert order(pot) is None
    assert words_of(shoe.pk) == []
    pot.bet(ben, 200)
    words = [(1, "from ann: 1 ~"), (3, "from cleo")]
    assert order(pot) == fair.shuffled(sealed, f"shoe:{shoe.pk}", words, 1)
    assert words_of(shoe.pk) == [[1, "from ann: 1 ~"], [3, "from cleo"]]


def test_other_words_make_another_order(vegas: AtTable, ann: User) -> None:
    """The house cannot choose the cards: it has sealed its part before it hears the words."""
    vegas.sit(ann, 1)
    sealed, shoe = secret(vegas), shoe_in_use(vegas)
    vegas.bet(ann, 500, words="mine")
    assert order(vegas) == fair.shuffled(sealed, shoe.label, [(1, "mine")], 6)
    assert order(vegas) != fair.shuffled(sealed, shoe.label, [(1, "other")], 6)


def test_a_bet_that_is_taken_back_takes_its_words_back(
    vegas: AtTable, ann: User, ben: User, cleo: User
) -> None:
    sit_down(vegas, ann, ben)
    shoe = shoe_in_use(vegas)
    vegas.bet(ann, 500, words="gone with me")
    vegas.leave(ann)
    vegas.sit(cleo, 1)
    vegas.bet(cleo, 500)
    vegas.bet(ben, 500, words="still here")
    assert words_of(shoe.pk) == [[2, "still here"]]


def test_who_comes_back_bets_with_new_words(vegas: AtTable, ann: User, ben: User) -> None:
    sit_down(vegas, ann, ben)
    shoe = shoe_in_use(vegas)
    vegas.bet(ann, 500, words="first")
    vegas.leave(ann)
    vegas.sit(ann, 1)
    vegas.bet(ann, 500, words="second")
    vegas.bet(ben, 500)
    assert words_of(shoe.pk) == [[1, "second"]]


def test_who_has_not_bet_when_the_clock_ends_has_no_part_in_the_shuffle(
    vegas: AtTable, ann: User, ben: User
) -> None:
    sit_down(vegas, ann, ben)
    shoe = shoe_in_use(vegas)
    vegas.bet(ann, 500, words="in time")
    vegas.time_is_up()
    assert words_of(shoe.pk) == [[1, "in time"]]


def test_words_of_later_rounds_change_nothing_about_a_shoe_in_use(
    vegas: AtTable, ann: User, ben: User
) -> None:
    vegas.sit(ann, 1)
    shoe = shoe_in_use(vegas)
    play_round(vegas, [ann], Random(1))
    vegas.sit(ben, 2)
    before = order(vegas)
    assert before is not None
    vegas.bet(ann, 500, words="too late")
    vegas.bet(ben, 500, words="too late as well")
    assert words_of(shoe.pk) == [[1, "words of ann"]]
    assert order(vegas) == before
    assert vegas.live.game.words == {}


@pytest.mark.parametrize(
    "words", ["two\nlines", "a\rb", "tab\t", "\x00", "\x7f", "é", "♠", "１", "x" * 65]
)
def test_words_that_cannot_be_written_on_one_line_are_refused(
    casino: AtTable, ann: User, ben: User, words: str
) -> None:
    sit_down(casino, ann, ben)
    before = fingerprint(casino)
    assert code(casino.bet(ann, 1000, words=words)) == "bad_words"
    assert fingerprint(casino) == before
    assert words_of(shoe_in_use(casino).pk) == []


@pytest.mark.parametrize("words", ['"two\\nlines"', '"é\\u0000"', f'"{"x" * 65}"', "5", "null"])
def test_words_like_that_are_no_command_or_no_words_on_the_wire(
    casino: AtTable, ann: User, words: str
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
def test_all_other_words_are_taken(vegas: AtTable, ann: User, words: str) -> None:
    vegas.sit(ann, 1)
    shoe = shoe_in_use(vegas)
    assert code(vegas.bet(ann, 500, words=words)) == "done"
    assert words_of(shoe.pk) == ([[1, words]] if words else [])


# In order before the first card


@pytest.mark.parametrize("key", ["classic", "pot", "piles", "vegas"])
@pytest.mark.parametrize("seed", range(3))
def test_nothing_that_anybody_does_changes_the_order_of_a_shoe_in_use(
    key: str, seed: int, ann: User, ben: User, cleo: User
) -> None:
    at = new_table(key)
    players = [ann, ben][: at.row.rules.seats]
    sit_down(at, *players)
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
        asked = at.view.asked
        if asked is None:
            break
        at.sit(cleo, 3)
        if chance.random() < 0.3:
            at.time_is_up()
        else:
            at.act(players[asked.seat - 1], chance.choice(asked.legal))
    assert dealt > 0
    assert words_of(shoe.pk) == words


def refusal_of(at: AtTable, user: User, text: str) -> str:
    """The code with which a frame is refused, on being read or at the table."""
    try:
        command = protocol.parse(text)
    except protocol.Unreadable as unreadable:
        return unreadable.code
    return code(at.send(user, command))  # type: ignore[arg-type]
