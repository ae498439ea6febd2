"""Anything that can be done in the house, in any order: after every step everything adds up.

``BLACKJACK_TEST_MACHINE=20`` goes so many times as many ways; ``BLACKJACK_TEST_SEED`` decides
which ones. Who fails prints both, and the steps of the shortest way that fails.
"""

from __future__ import annotations

import os

import pytest
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test

from accounts.ledger.rebuys import RebuyDecision
from accounts.models import User
from accounts.users import sessions
from tables.engine.presets import PRESETS
from tables.game import commands, rebuys, recovery
from tables.game.commands import QueuedCommand
from tables.models import Round
from tables.operators.players import freezing
from tables.protocol.commands import Bet, Free, HandOn, Leave, Lock, Renew, Sit, TakeBack
from tests.helpers import reference_replay
from tests.helpers.table_client import COMMANDS
from tests.state_machine.fault_points import FAULTS
from tests.state_machine.machine import OneWay
from tests.state_machine.world import prepare

pytestmark = pytest.mark.django_db

TIMES = int(os.environ.get("BLACKJACK_TEST_MACHINE", "1"))
SEED = int(os.environ.get("BLACKJACK_TEST_SEED", "1"))
WAYS, STEPS = 9, 20
EXPECTED = {"rounds": 30, "bust": 4, "win": 5, "lose": 5, "repeats": 5, "deaths": 3}
"""So much of it happens at least on those ways; less, and the test is worth less than it was."""

hows = st.lists(st.integers(0, 59), max_size=3)
"""What is decided before the step itself: wherever a step comes, something is being played."""
longer = st.lists(st.integers(0, 59), min_size=2, max_size=8)
players = st.integers(0, 3)
which = st.integers(0, 59)
tables = st.sampled_from([0, 0, 0, 1])
places = st.sampled_from(sorted(FAULTS))
ACTIONS = list(COMMANDS)


class HouseMachine(OneWay):
    """What may happen."""

    # Players

    @rule(where=tables, hows=longer)
    def play(self, where: int, hows: list[int]) -> None:
        self.play_on(where, hows)

    @rule(where=tables, hows=hows, who=players, seat=st.integers(1, 3))
    def sit(self, where: int, hows: list[int], who: int, seat: int) -> None:
        at = self.at(where, hows)
        self.house.send(at, self.house.players[who], self.sits(seat))

    @rule(where=tables, hows=hows, who=players)
    def leave(self, where: int, hows: list[int], who: int) -> None:
        at = self.at(where, hows)
        self.house.send(at, self.house.players[who], self.command(Leave))

    @rule(where=tables, hows=hows, who=players, how=which)
    def bet(self, where: int, hows: list[int], who: int, how: int) -> None:
        at = self.at(where, hows)
        self.house.send(at, self.house.players[who], self.a_bet(at, self.house.players[who], how))

    @rule(where=tables, hows=hows, who=players)
    def take_back(self, where: int, hows: list[int], who: int) -> None:
        at = self.at(where, hows)
        command = self.command(TakeBack, at.row.turn)
        self.house.send(at, self.house.players[who], command)

    @rule(where=tables, hows=hows, who=players, how=which)
    def decide_anything(self, where: int, hows: list[int], who: int, how: int) -> None:
        """Whoever is asked, about whatever, now and then about an earlier or a later question."""
        at = self.at(where, hows)
        turn = max(1, at.row.turn + (0, 0, -1, 1)[how % 4])
        kind = COMMANDS[ACTIONS[how % len(ACTIONS)]]
        self.house.send(at, self.house.players[who], self.command(kind, turn))

    @rule(hows=hows, who=players)
    def take_play_money(self, hows: list[int], who: int) -> None:
        self.at(0, hows)
        user = self.house.players[who]
        before = self.house.ledger.wallets[user.pk]
        has_bet = any(seat.player == user.username and (seat.stake or 0)
                      for at in self.house.tables for seat in at.view.seats)  # fmt: skip
        state = rebuys.rebuy(user, self.house.now).value
        if state.answer is RebuyDecision.ALLOWED:
            assert before < state.least_stake
            assert not has_bet

    # Commands that come again

    @precondition(lambda self: self.house.sent)
    @rule(hows=hows, back=which)
    def repeat(self, hows: list[int], back: int) -> None:
        self.at(0, hows)
        self.house.send_again(self.house.sent[-1 - back % len(self.house.sent)])

    @precondition(lambda self: self.house.sent)
    @rule(where=tables, hows=hows, back=which, how=which)
    def use_an_id_again(self, where: int, hows: list[int], back: int, how: int) -> None:
        at = self.at(where, hows)
        sent = self.house.sent[-1 - back % len(self.house.sent)]
        other = [
            Bet(sent.command.id, at.row.turn, 1000 + how),
            Leave(sent.command.id),
            COMMANDS[ACTIONS[how % len(ACTIONS)]](sent.command.id, at.row.turn),
        ][how % 3]
        if other != sent.command or at is not sent.at:
            assert self.house.send(at, sent.user, other) == "id_reused"

    @rule(where=tables, hows=hows, how=which)
    def lose_the_answer(self, where: int, hows: list[int], how: int) -> None:
        """The process dies after the commit."""
        at = self.at(where, hows)
        if (waited_for := self.what_is_waited_for(at, how)) is not None:
            self.house.send_and_hear_nothing(at, *waited_for)

    # Processes that die before the commit

    @rule(where=tables, place=places, hows=longer)
    def die(self, where: int, place: str, hows: list[int]) -> None:
        self.die_on_the_way(place, self.at(where), hows)

    @rule(where=tables, hows=hows, place=places)
    def die_when_time_is_up(self, where: int, hows: list[int], place: str) -> None:
        at = self.at(where, hows)
        self.house.later(max(0.0, self.house.get_remaining_seconds(at)))
        self.house.die(place, lambda: self.house.run_out(at))

    @rule(where=tables, hows=hows, place=places, who=players)
    def die_when_somebody_leaves(self, where: int, hows: list[int], place: str, who: int) -> None:
        at, user = self.at(where, hows), self.house.players[who]
        command = self.command(Leave)
        self.house.die(place, lambda: self.house.send(at, user, command))

    # Time, and who is there

    @rule(hows=hows, seconds=st.sampled_from([0.5, 3, 4, 20, 61]))
    def wait(self, hows: list[int], seconds: float) -> None:
        """Short times pass without a look at the clock."""
        self.at(0, hows)
        if seconds < recovery.OUTAGE.total_seconds():
            self.house.later(seconds)
        else:
            self.house.watch_the_clock(seconds)

    @rule(where=tables, hows=hows)
    def let_time_run_out(self, where: int, hows: list[int]) -> None:
        self.run_out_once(self.at(where, hows))

    @rule(where=tables, hows=hows, who=st.integers(0, 4), missed=st.integers(0, 12))
    def reconnect(self, where: int, hows: list[int], who: int, missed: int) -> None:
        at = self.at(where, hows)
        self.house.reconnect(at, self.house.players[who] if who < 4 else None, missed)
        self.look_who_is_there()

    @rule(hows=hows, who=players)
    def log_out(self, hows: list[int], who: int) -> None:
        """Everywhere: no page of theirs is open any more, and their hands wait for the clock."""
        at, user = self.at(0, hows), self.house.players[who]
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.save()
        sessions.end_sessions(user.pk, self.house.now)
        command, key = self.command(Leave), session.session_key
        with pytest.raises(sessions.SessionEnded):
            commands.execute_one(QueuedCommand(at.table_id, user.pk, command, session=key), at.now)
        self.look_who_is_there(but=user)

    @rule(hows=hows, hours=st.sampled_from([0.01, 1, 25]))
    def stay_away(self, hows: list[int], hours: float) -> None:
        """All processes are away, and one comes back."""
        self.at(0, hows)
        self.house.later(hours * 3600)
        for at in self.house.tables:
            self.house.hear(recovery.resume_after_outage(at.table_id, at.now))
            assert not self.house.is_overdue(at)

    # The house

    @rule(hows=hows, who=players, then=hows)
    def freeze_for_a_while(self, hows: list[int], who: int, then: list[int]) -> None:
        """Whoever is frozen can do nothing; a hand of theirs is settled by those who go on."""
        at, by, user = self.at(0, hows), self.before.operators[0], self.house.players[who]
        effects = freezing.freeze(by, user.pk, "A reason.", self.house.now)
        self.house.hear(effects.changes)
        self.everything_adds_up()
        assert self.house.send(at, user, self.command(Sit, 1)) == "not_allowed"
        self.everything_adds_up()
        self.play_on(0, then)
        assert not User.objects.get(pk=user.pk).is_active
        freezing.unfreeze(by, user.pk, "Another.", self.house.now)

    @rule(hows=hows, back=st.integers(0, 2), place=st.none() | places, approves=st.booleans())
    def void(self, hows: list[int], back: int, place: str | None, approves: bool) -> None:
        self.at(0, hows)
        rounds = list(Round.objects.exclude(dealt_at=None).order_by("-pk")[: back + 1])
        if not rounds:
            return
        round_ = rounds[-1]
        was_void = round_.voided_at is not None
        if place is None:
            self.void_or_not(round_, approves=approves)
        else:
            self.house.die(place, lambda: self.void_or_not(round_, approves=approves))
        round_.refresh_from_db()
        if round_.voided_at is not None and not was_void:
            reference_replay.check_void(round_)

    @rule(hows=hows, who=players, what=st.integers(0, 4), seat=st.integers(1, 3))
    def run_the_table(self, hows: list[int], who: int, what: int, seat: int) -> None:
        at, user = self.at(0, hows), self.house.players[who]
        command = [
            self.command(Lock, seat == 1),
            self.command(Free, seat),
            self.command(HandOn, self.house.players[seat].username),
            self.command(Renew),
            self.command(Lock, False),
        ][what]
        self.house.send(at, user, command)


@pytest.mark.long
@pytest.mark.parametrize("key", PRESETS)
def test_whatever_happens_in_the_house_everything_adds_up(key: str) -> None:
    before = prepare(key)
    way = seed(f"{SEED} {key}")(type("Way", (HouseMachine,), {"before": before}))
    print(f"BLACKJACK_TEST_MACHINE={TIMES} BLACKJACK_TEST_SEED={SEED}")  # noqa: T201
    run_state_machine_as_test(
        way,
        settings=settings(
            max_examples=WAYS * TIMES,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            report_multiple_bugs=False,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )
    counts = before.counts
    expected = dict(EXPECTED)
    if connection.vendor == "sqlite":
        expected["commands with nothing forgotten"] = 50
    assert {what: counts[what] for what, least in expected.items() if counts[what] < least} == {}
