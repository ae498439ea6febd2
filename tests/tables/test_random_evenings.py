"""Whatever people do at a table, the books add up and every shoe can be checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from random import Random

import pytest

from accounts.models import Transfer, User
from tables import presence
from tables.engine import proof
from tables.engine.presets import PRESETS
from tables.models import Change, Shoe
from tables.records import rounds_told
from tests.at_table import AtTable, balance_of, code, new_player
from tests.tables.evenings import faults, least_stake
from tests.tables.test_hosting import close, free, hand_on, lock, made_by, renew

pytestmark = pytest.mark.django_db

STEPS = 60
REFUSALS_OF_OURS = {"internal", "shoe_exhausted", "round_over", "bad_bet", "bad_words"}
"""What nobody should ever hear who does only what the page offers, at whatever moment."""

Deed = Callable[[], object]


class Evening:
    """Four people at one table; each step somebody does something."""

    def __init__(self, key: str, seed: int) -> None:
        self.chance = Random(seed)
        self.people = [new_player(name) for name in ("ann", "ben", "cleo", "dora")]
        self.at = made_by(self.people[0], key)
        self.here = set(self.people)

    def somebody(self) -> User:
        return self.chance.choice(self.people)

    def deeds(self) -> Iterator[tuple[int, Deed]]:
        """What may happen now, with how likely it is."""
        at, chance, who = self.at, self.chance, self.somebody()
        stake = least_stake(at)
        yield 5, lambda: at.sit(who, chance.randint(1, at.row.rules.seats))
        yield 1, lambda: at.leave(who)
        yield 1, lambda: at.bet(who, stake)
        yield 1, lambda: at.take_back(who)
        for seat in at.live.seats.values():
            words = f"word {chance.random()}"
            bet = partial(at.bet, seat.user, stake * chance.randint(1, 9), words=words)
            yield 6, bet
            if seat.number in at.live.game.bets:
                yield 6, partial(at.take_back, seat.user)
        asked = at.view.asked
        if asked is not None:
            seat = at.live.seats[asked.seat]
            yield 30, lambda: at.act(seat.user, chance.choice(asked.legal))
        if at.row.deadline_at is not None:
            yield 3, at.time_is_up
        yield 2, self.look_who_is_there
        host = at.row.maker
        assert host is not None
        yield 1, lambda: at.send(host, lock(on=chance.random() < 0.1))
        yield 1, lambda: at.send(host, free(chance.randint(1, at.row.rules.seats)))
        yield 1, lambda: at.send(host, hand_on(who.username))
        yield 1, lambda: at.send(host, renew())

    def look_who_is_there(self) -> None:
        self.here ^= {self.somebody()}
        self.at.later(self.chance.choice((2, 20, 61)))
        presence.note(self.at.table_id, "one", {user.pk: 1 for user in self.here}, self.at.now)

    def step(self) -> None:
        weights, deeds = zip(*self.deeds(), strict=True)
        (deed,) = self.chance.choices(deeds, weights)
        self.at.later(self.chance.random())
        played = deed()
        if hasattr(played, "answer"):
            assert code(played) not in REFUSALS_OF_OURS, played


def all_money(evening: Evening) -> int:
    row = evening.at.row
    return sum(map(balance_of, evening.people)) + row.pot.balance + row.rack.balance


def given_by_the_bank() -> int:
    kinds = (Transfer.Kind.GRANT, Transfer.Kind.FILL)
    return sum(t.amount for t in Transfer.objects.filter(kind__in=kinds))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("key", PRESETS)
def test_an_evening_at_random_leaves_the_books_in_order(key: str, seed: int) -> None:
    evening = Evening(key, seed)
    for _ in range(STEPS):
        evening.step()
        assert all_money(evening) == given_by_the_bank()
        if not (evening.at.live.game.bets or evening.at.live.game.is_playing):
            assert evening.at.row.pot.balance == 0
    host = evening.at.row.maker
    assert host is not None
    evening.at.send(host, close())
    while evening.at.row.closed_at is None:
        evening.at.time_is_up()
    assert evening.at.row.pot.balance == 0
    assert faults() == []
    seqs = list(Change.objects.order_by("seq").values_list("seq", flat=True))
    assert seqs == list(range(1, len(seqs) + 1))
    assert_every_shoe_is_proved(evening.at)


def assert_every_shoe_is_proved(at: AtTable) -> None:
    opened = Shoe.objects.filter(table=at.table_id).exclude(secret="")
    assert opened.exists()
    for shoe in opened:
        assert list(proof.faults(rounds_told.proof(shoe))) == []
