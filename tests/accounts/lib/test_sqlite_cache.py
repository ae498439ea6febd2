"""What is heard of a database holds until somebody else writes, and not a moment longer."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from django.db import connection, transaction
from django.utils import timezone

from accounts.ledger import transfers
from accounts.ledger.transfers import Posting
from accounts.lib.sql import sqlite_cache
from accounts.lib.sql.sqlite_cache import GenerationCache
from accounts.models import HouseSettings, Transfer, User

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        "connection.vendor != 'sqlite'", reason="other databases tell nothing of the kind"
    ),
]


@pytest.fixture(autouse=True)
def _kept_connection() -> Iterator[None]:
    yield
    connection.close()


def write() -> None:
    # What was there before is nothing new: then SQLite writes nothing.
    HouseSettings.objects.update(announcement=f"News of {uuid.uuid4()}.")


def written_in_step() -> int:
    """Something is written by who knows of all that is kept; the generation in which it was."""
    with transaction.atomic():
        generation = sqlite_cache.cache_generation()
        with sqlite_cache.keep_cache_valid():
            write()
    return generation


def spell_now() -> int:
    with transaction.atomic():
        return sqlite_cache.cache_generation()


def elsewhere(work: Callable[[], object]) -> None:
    """Have it done on another connection."""

    def run() -> None:
        work()
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


def test_a_spell_goes_on_while_all_that_is_written_is_written_in_step() -> None:
    generation = written_in_step()
    assert [written_in_step(), written_in_step(), spell_now()] == [generation] * 3


def rolled_back() -> None:
    with transaction.atomic():
        sqlite_cache.cache_generation()
        with sqlite_cache.keep_cache_valid():
            write()
        transaction.set_rollback(True)


def rolled_back_within() -> None:
    with transaction.atomic():
        sqlite_cache.cache_generation()
        with transaction.atomic():
            with sqlite_cache.keep_cache_valid():
                write()
            transaction.set_rollback(True)


def written_before_it_is_in_step() -> None:
    with transaction.atomic():
        sqlite_cache.cache_generation()
        write()
        with sqlite_cache.keep_cache_valid():
            write()


def written_afterwards() -> None:
    with transaction.atomic():
        sqlite_cache.cache_generation()
        with sqlite_cache.keep_cache_valid():
            write()
        write()


def failed_in_step() -> None:
    with suppress(RuntimeError), transaction.atomic():
        sqlite_cache.cache_generation()
        with sqlite_cache.keep_cache_valid():
            write()
            raise RuntimeError


def reconnected() -> None:
    """Another connection counts anew what it writes."""
    connection.close()
    write()


@pytest.mark.parametrize(
    "deed",
    [
        write,
        lambda: elsewhere(write),
        lambda: elsewhere(written_in_step),
        rolled_back,
        rolled_back_within,
        written_before_it_is_in_step,
        written_afterwards,
        failed_in_step,
        reconnected,
    ],
    ids=[
        "written", "by another connection", "in step with that one", "taken back",
        "taken back in the middle", "written before", "written afterwards", "failed",
        "a new connection",
    ],
)  # fmt: skip
def test_a_spell_is_over_when_anything_else_has_happened(deed: Callable[[], object]) -> None:
    generation = written_in_step()
    deed()
    assert spell_now() != generation
    assert written_in_step() != generation


def test_each_call_of_a_function_in_a_transaction_looks_anew() -> None:
    """Django gives all calls of such a function the same block."""
    generation, spell_of = written_in_step(), transaction.atomic(sqlite_cache.cache_generation)
    assert spell_of() == generation
    elsewhere(write)
    assert spell_of() != generation


def test_what_another_connection_has_not_committed_ends_no_spell() -> None:
    generation = written_in_step()
    elsewhere(rolled_back)
    assert spell_now() == generation


def test_every_look_outside_a_transaction_is_a_spell_of_its_own() -> None:
    generation = written_in_step()
    assert len({sqlite_cache.cache_generation(), sqlite_cache.cache_generation(), generation}) == 3
    assert spell_now() == generation


def test_threads_have_spells_of_their_own() -> None:
    generations = [written_in_step()]
    elsewhere(lambda: generations.append(spell_now()))
    assert len(set(generations)) == 2


def test_what_was_heard_is_forgotten_with_its_spell() -> None:
    heard: GenerationCache[str, str] = GenerationCache()
    written_in_step()
    with transaction.atomic():
        heard.current()["who"] = "ann"
    with transaction.atomic():
        assert heard.current() == {"who": "ann"}
        with sqlite_cache.keep_cache_valid():
            write()
            assert heard.current() == {"who": "ann"}
    with transaction.atomic():
        assert heard.current() == {"who": "ann"}
    write()
    with transaction.atomic():
        assert heard.current() == {}


def pay_in(user: User, *, is_taken_back: bool = False) -> int:
    """One hundredth, as a table moves money; the balance after it."""
    with transaction.atomic():
        sqlite_cache.cache_generation()
        with sqlite_cache.keep_cache_valid():
            reference = f"test:{uuid.uuid4()}"
            grant = Posting(
                Transfer.Kind.GRANT, transfers.get_bank().pk, user.wallet.pk, 1, reference
            )
            balance = transfers.post([grant], at=timezone.now())[user.wallet.pk].amount
        transaction.set_rollback(is_taken_back)
    return balance


def test_money_that_another_connection_moved_is_on_the_account(ann: User) -> None:
    assert [pay_in(ann), pay_in(ann)] == [50_001, 50_002]
    elsewhere(lambda: pay_in(ann))
    assert pay_in(ann) == 50_004


def test_money_whose_movement_was_taken_back_is_not(ann: User) -> None:
    assert [pay_in(ann), pay_in(ann, is_taken_back=True), pay_in(ann)] == [50_001, 50_002, 50_002]
