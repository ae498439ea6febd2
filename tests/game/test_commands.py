"""Commands that are played together: each has what it would have had alone, and all of them share
their statements.
"""

from __future__ import annotations

import datetime as dt
import threading
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from random import Random

import pytest
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.ledger.transfers import InsufficientFunds
from accounts.lib.sql import optimistic
from accounts.lib.sql.driver import has_row_locks
from accounts.models import User
from tables.engine.errors import RuleViolation
from tables.engine.presets import PRESETS
from tables.game import commands, rounds, seats
from tables.game.commands import CommandResult, QueuedCommand
from tables.models import Change, Result, Round, Seat, Standing, Table, Tally
from tables.protocol.commands import Bet, Close, Leave, Sit, TableCommand
from tables.realtime.writers.writer import Writer
from tables.state.effects import Effects
from tables.state.live_table import LiveTable
from tests.helpers.recomputed_stats import reckoned, written
from tests.helpers.rounds import faults, least_stake, new_table, sit_down, types
from tests.helpers.table_client import (
    COMMANDS,
    TableClient,
    balance_of,
    code,
    events,
    fingerprint,
    new_player,
    told_of_wallets,
)

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
ROUNDS = 4


def order(
    at: TableClient, user: User, command: TableCommand, session: str | None = None
) -> QueuedCommand:
    return QueuedCommand(at.table_id, user.pk, command, session=session)


def bet(at: TableClient, user: User, stake: int, session: str | None = None) -> QueuedCommand:
    return order(at, user, Bet(uuid.uuid4(), at.row.turn, stake), session)


def decision(at: TableClient, user: User, action: str) -> QueuedCommand:
    return order(at, user, COMMANDS[action](uuid.uuid4(), at.row.turn))


def together(at: TableClient, *orders: QueuedCommand) -> list[CommandResult | Exception]:
    optimistic.forget_all()  # tests change rows as no other process does
    return optimistic.run(lambda: commands.execute(orders, at.now))


def codes(outcomes: Sequence[CommandResult | Exception]) -> list[str]:
    """Error codes, ``done``, or the name of what a command raised."""
    return [
        code(outcome) if isinstance(outcome, Effects) else type(outcome).__name__
        for outcome in outcomes
    ]


def log_in(user: User) -> str:
    """The key of a session of this user."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session.create()
    assert session.session_key is not None
    return str(session.session_key)


# What comes of it


@pytest.mark.django_db(transaction=True)  # each step is committed, and known by the next
@pytest.mark.parametrize("seed", range(3))
def test_an_evening_at_all_tables_at_once_adds_up(
    seed: int, ann: User, ben: User, dora: User
) -> None:
    """They sit at every table, and every step is one transaction of all tables."""
    chance, players = Random(seed), (ann, ben, dora)
    tables = [new_table(key) for key in PRESETS for _ in range(2)]
    at_table = {at: players[: at.row.rules.seats] for at in tables}
    for at, users in at_table.items():
        sit_down(at, *users)

    def play(orders: list[QueuedCommand]) -> None:
        chance.shuffle(orders)
        tables[0].later(0.01)
        assert set(codes(together(tables[0], *orders))) == {"done"}

    for _ in range(ROUNDS):
        play([bet(at, user, least_stake(at)) for at in tables for user in at_table[at]])
        while open_decisions := [(at, at.view.asked) for at in tables if at.view.asked]:
            play(
                [
                    decision(at, players[who.seat - 1], chance.choice(who.legal))
                    for at, who in open_decisions
                    if who is not None
                ]
            )
    assert faults() == []
    assert Result.objects.count() == ROUNDS * sum(map(len, at_table.values()))
    there, reckoning = written(), reckoned()
    assert (there.tallies, there.standings) == (reckoning.tallies, reckoning.standings)
    assert Tally.objects.exists()
    assert Standing.objects.exists()


def test_two_at_one_table_follow_one_another(ann: User, ben: User) -> None:
    at, other = new_table("casino"), new_table("casino")
    sit_down(at, ann, ben)
    sit_down(other, ann)
    seq = at.row.seq
    anns, others, bens = together(at, bet(at, ann, 1000), bet(other, ann, 1000), bet(at, ben, 1000))
    assert codes([anns, others, bens]) == ["done"] * 3
    assert isinstance(anns, Effects)
    assert isinstance(bens, Effects)
    assert (anns.value.seq, bens.value.seq) == (seq + 1, seq + 2)
    assert types(events(bens))[:3] == ["bet_placed", "shoe_shuffled", "card_dealt"]


def test_what_a_wallet_has_left_is_told_of_all_tables(ann: User) -> None:
    tables = [new_table("casino") for _ in range(3)]
    for at in tables:
        sit_down(at, ann)
    ben = new_player("benno")
    for at in tables:
        at.sit(ben, 2)  # so that nothing is dealt
    outcomes = together(tables[0], *[bet(at, ann, 1000) for at in tables])
    changes = [change for outcome in outcomes for change in getattr(outcome, "changes", ())]
    assert [told_of_wallets(change) for change in changes] == [{ann.pk: 47_000}] * 3


# What is refused


def refused(at: TableClient, ann: User, dora: User) -> dict[str, QueuedCommand]:
    """Orders that cannot be done, by what each is told. Ann sits there; nobody has bet."""
    stale = Bet(uuid.uuid4(), at.row.turn - 1, 1000)
    return {
        "stale_turn": order(at, ann, stale),
        "cannot_afford": bet(at, ann, 60_000),
        "bad_bet": bet(at, ann, 1),
        "wrong_phase": decision(at, ann, "hit"),
        "not_seated": bet(at, dora, 1000),
        "seat_taken": order(at, dora, Sit(uuid.uuid4(), 1)),
        "not_maker": order(at, dora, Close(uuid.uuid4())),
        "SessionEnded": bet(at, ann, 1000, session="of-yesterday"),
        "DoesNotExist": QueuedCommand(4711, ann.pk, Leave(uuid.uuid4())),
    }


@pytest.mark.parametrize(
    "what",
    [
        "stale_turn", "cannot_afford", "bad_bet", "wrong_phase", "not_seated", "seat_taken",
        "not_maker", "SessionEnded", "DoesNotExist"
    ],
)  # fmt: skip
def test_what_is_refused_leaves_nothing_and_stops_nobody(
    what: str, ann: User, ben: User, dora: User
) -> None:
    at, bens = new_table("casino", seats=2), new_table("casino", seats=2)
    sit_down(at, ann)
    sit_down(bens, ben, dora)
    order = refused(at, ann, dora)[what]
    before = fingerprint(at)[:4], balance_of(ann), at.row.changes.count()
    outcomes = together(bens, bet(bens, ben, 1000), order, bet(bens, dora, 1000))
    assert codes(outcomes) == ["done", what, "done"]
    assert (fingerprint(at)[:4], balance_of(ann), at.row.changes.count()) == before
    assert Round.objects.filter(table=at.table_id).count() == 0
    assert Round.objects.get().table_id == bens.table_id
    assert faults() == []


def test_what_is_refused_late_is_taken_back(
    ann: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    at, other = new_table("casino", seats=2), new_table("casino", seats=2)
    sit_down(at, ann)
    sit_down(other, ben)

    def write_and_refuse(live: LiveTable, user_id: int) -> None:
        live.row.seats.update(net=4711)
        raise RuleViolation("wrong_phase", "Too late.")

    monkeypatch.setattr(seats, "leave", write_and_refuse)
    outcomes = together(at, order(at, ann, Leave(uuid.uuid4())), bet(other, ben, 1000))
    assert codes(outcomes) == ["wrong_phase", "done"]
    assert not Seat.objects.filter(net=4711).exists()


def test_nobody_is_let_in_under_the_session_of_somebody_else(ann: User, ben: User) -> None:
    at, other = new_table("casino", seats=2), new_table("casino", seats=2)
    sit_down(at, ann)
    sit_down(other, ben)
    anns, bens = log_in(ann), log_in(ben)
    outcomes = together(at, bet(at, ann, 1000, session=bens), bet(other, ben, 1000, session=bens))
    assert codes(outcomes) == ["SessionEnded", "done"]
    assert codes(together(at, bet(at, ann, 1000, session=anns))) == ["done"]


def test_who_was_switched_off_plays_nothing(ann: User, ben: User) -> None:
    at, other = new_table("casino", seats=2), new_table("casino", seats=2)
    sit_down(at, ann)
    sit_down(other, ben)
    key = log_in(ann)
    assert codes(together(at, bet(at, ann, 1000, session=key))) == ["done"]
    User.objects.filter(pk=ann.pk).update(is_active=False)
    again, bens = together(at, bet(at, ann, 1000, session=key), bet(other, ben, 1000))
    assert codes([again, bens]) == ["not_allowed", "done"]


def log_out_elsewhere(key: str) -> None:
    def run() -> None:
        Session.objects.filter(session_key=key).delete()
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


def log_out_here(key: str) -> None:
    Session.objects.filter(session_key=key).delete()


def let_it_expire(key: str) -> None:
    soon = timezone.now() + dt.timedelta(seconds=2)
    Session.objects.filter(session_key=key).update(expire_date=soon)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("end", [log_out_elsewhere, log_out_here, let_it_expire])
def test_a_session_that_is_over_is_over_at_once(
    end: Callable[[str], None], ann: User, ben: User
) -> None:
    sit_down(at := new_table("casino"), ann, ben)
    key = log_in(ann)
    assert codes(together(at, bet(at, ann, 1000, session=key))) == ["done"]
    if end is let_it_expire:
        end(key)
    assert codes(together(at, bet(at, ann, 2000, session=key))) == ["done"]
    if end is let_it_expire:
        at.now = timezone.now() + dt.timedelta(seconds=3)
    else:
        end(key)
    assert codes(together(at, bet(at, ann, 3000, session=key))) == ["SessionEnded"]


# What cannot be done together


def submitted(writer: Writer, orders: Sequence[QueuedCommand]) -> list[str]:
    """What a writer answers that finds all of these waiting."""
    go_on = threading.Event()
    writer.submit(go_on.wait)

    results: dict[int, CommandResult | Exception] = {}

    def tell(number: int, played: CommandResult | None, failure: Exception | None) -> None:
        results[number] = played or failure or AssertionError("nothing came of it")

    for number, order in enumerate(orders):
        writer.submit_command(order, partial(tell, number))
    go_on.set()
    writer.stop()
    return codes([results[number] for number in range(len(orders))])


@pytest.mark.django_db(transaction=True)
def test_money_that_is_there_once_is_bet_once(ann: User, ben: User, dora: User) -> None:
    tables = [new_table("casino", seats=2) for _ in range(3)]
    for at in tables:
        sit_down(at, ann, dora)  # who does not bet: a natural would pay for the others
    sit_down(other := new_table("casino", seats=2), ben)
    orders = [*[bet(at, ann, 30_000) for at in tables], bet(other, ben, 1000)]
    with pytest.raises(InsufficientFunds):
        together(other, *orders)
    answers = submitted(Writer(), orders)
    assert sorted(answers) == ["cannot_afford", "cannot_afford", "done", "done"]
    assert answers[3] == "done"
    assert faults() == []


@pytest.mark.django_db(transaction=True)
def test_a_bet_that_is_refused_once_its_round_is_written_leaves_no_round(
    ann: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    at, other = new_table("casino", seats=2), new_table("casino", seats=2)
    sit_down(at, ann)
    sit_down(other, ben, ann)
    dealt = rounds.deal_if_all_have_bet

    def refuse_at_one(live: LiveTable) -> None:
        if live.row.pk == at.table_id:
            raise RuleViolation("shoe_exhausted", "There are no cards left.")
        dealt(live)

    monkeypatch.setattr(rounds, "deal_if_all_have_bet", refuse_at_one)
    answers = submitted(Writer(), [bet(at, ann, 1000), bet(other, ben, 1000)])
    assert answers == ["shoe_exhausted", "done"]
    assert Round.objects.get().table_id == other.table_id
    assert faults() == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("action", ["bet", "hit"])
def test_a_command_that_comes_again_is_answered_again(
    action: str, ann: User, ben: User, stack: Stack
) -> None:
    at, other = new_table("casino", seats=2), new_table("casino", seats=2)
    sit_down(at, ann, ben)
    sit_down(other, ben)
    stack("2s 3s 6h 3d 2h Kc 2d 3h 4h 5h 6d 7d")
    anns = bet(at, ann, 1000)
    if action == "hit":
        at.bet(ann, 1000)
        at.bet(ben, 1000)
        anns = decision(at, ann, "hit")
    assert codes(together(at, anns)) == ["done"]
    seq = at.row.seq
    assert submitted(Writer(), [anns, bet(other, ben, 1000)]) == ["done", "done"]
    assert (at.row.seq, Change.objects.filter(command_id=anns.command.id).count()) == (seq, 1)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", ["an overdue clock", "a state that cannot be read"])
def test_a_table_that_needs_more_than_that_is_seen_to_alone(
    what: str, ann: User, ben: User, dora: User
) -> None:
    at, other = new_table("casino", seats=2), new_table("casino", seats=2)
    sit_down(at, ann, ben)
    sit_down(other, dora, ann)
    at.bet(ann, 1000)
    late = bet(at, ben, 1000)
    if what == "an overdue clock":
        wrong = {"deadline_at": timezone.now() - dt.timedelta(seconds=1)}
        at.now = timezone.now()
    else:
        wrong = {"state": "{"}
    Table.objects.filter(pk=at.table_id).update(**wrong)
    outcomes = together(at, late, bet(other, dora, 1000))
    assert codes(outcomes)[1] == "done"
    assert isinstance(outcomes[0], commands.NEEDS_MORE)
    answers = submitted(Writer(), [late, bet(other, dora, 1000)])
    assert answers == ["stale_turn", "done"]
    assert Seat.objects.filter(table=at.table_id).count() == 2


# What it costs


def test_many_share_the_statements_of_one(stack: Stack) -> None:
    users = [new_player(f"player{number}") for number in range(12)]
    tables = [new_table("casino", seats=1) for _ in users]
    stack(*["2s 6h 3d Kc 2d 3h 4h 5h 6d 7d"] * len(tables))
    for at, user in zip(tables, users, strict=True):
        sit_down(at, user)
        at.bet(user, 1000)

    def statements(some: slice) -> int:
        pairs = zip(tables[some], users[some], strict=True)
        orders = [decision(at, user, "hit") for at, user in pairs]
        with CaptureQueriesContext(connection) as queries:
            assert set(codes(together(tables[0], *orders))) == {"done"}
        return len(queries.captured_queries)

    locks = int(has_row_locks())  # several rows are locked before one statement writes them
    assert statements(slice(1, 12)) == statements(slice(0, 1)) + locks
