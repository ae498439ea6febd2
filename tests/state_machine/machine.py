"""One way through the house: how it begins, goes on and ends. What may happen on it is added by
``test_state_machine.py``, a rule each.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from random import Random
from typing import ClassVar

from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant

from accounts.models import HouseSettings, User
from tables.engine.provably_fair import proof, shuffle
from tables.game import deadlines
from tables.models import Round, Shoe, Void
from tables.operators.rounds import voids
from tables.operators.rounds.voids import CannotVoid
from tables.protocol.commands import Bet, Choice, Close, Command, Sit, TableCommand, TakeBack
from tables.records import round_page
from tables.state.effects import Effects
from tables.state.public_view import build_public_table
from tests.helpers.recomputed_stats import reckoned, written
from tests.helpers.rounds import faults
from tests.helpers.table_client import COMMANDS, TableClient
from tests.state_machine.fault_points import FAULTS
from tests.state_machine.world import Before, WholeHouse

WORDS = "words for the shuffle"


def _commitment(seat: int) -> str:
    return shuffle.compute_commitment(seat, WORDS)


class OneWay(RuleBasedStateMachine):
    """Begins with the rows that are there, and leaves no trace in the database."""

    before: ClassVar[Before]

    def __init__(self) -> None:
        super().__init__()
        self.is_well = False
        """Whether nothing has failed since all was looked at."""
        self.stack = ExitStack()
        self.stack.enter_context(transaction.atomic())
        self.stack.callback(transaction.set_rollback, True)
        # What was taken for committed on the way before was not: something else is written now.
        HouseSettings.objects.update(void_limit=4_000)

    @initialize(number=st.integers(0, 2**32), is_rich=st.booleans(), seated=st.integers(1, 3))
    def open(self, number: int, is_rich: bool, seated: int) -> None:
        self.house = WholeHouse(self.before, Random(number), is_rich=is_rich)
        self.stack.enter_context(self.house.shuffling_by_chance())
        at = self.house.tables[0]
        for place in range(min(seated, at.row.rules.seats)):
            self.house.send(at, self.house.players[place], self.sits(place + 1))

    @invariant()
    def everything_adds_up(self) -> None:
        if hasattr(self, "house"):
            self.is_well = False
            self.house.look()
            self.is_well = True

    def teardown(self) -> None:
        try:
            if self.is_well:
                self.is_well = False
                self.end()
        finally:
            self.stack.close()

    def end(self) -> None:
        """Play to the end what lies there; then books, results and figures are right."""
        chance = self.house.chance
        hows = [chance.randrange(60) for _ in range(8)]
        self.die_on_the_way(chance.choice(sorted(FAULTS)), self.at(0), hows)
        self.house.look()
        for at in self.house.tables:
            while at.view.asked is not None:
                self.house.watch_the_clock(self.house.get_remaining_seconds(at))
        self.house.look()
        self.close()
        self.house.count_up()
        assert faults() == []
        there, reckoning = written(), reckoned()
        assert there.tallies == reckoning.tallies
        assert there.standings == reckoning.standings
        if not self.house.is_rich:
            for shoe in Shoe.objects.exclude(secret=""):
                assert list(proof.find_proof_faults(round_page.build_proof(shoe))) == []

    def close(self) -> None:
        """Whatever is bet then goes back, and everybody leaves."""
        at = self.house.tables[0]
        maker = at.row.maker
        assert maker is not None
        assert self.house.send(at, maker, self.command(Close)) == "done"
        row = at.row
        assert (row.closed_at is not None, at.chips.staked, row.seats.count()) == (
            True,
            0,
            0,
        )

    # What rules are made of

    def at(self, number: int, hows: Iterable[int] = ()) -> TableClient:
        """The table, a moment later, at which some decisions were made before."""
        self.play_on(number, hows)
        self.is_well = False
        self.house.later(self.house.chance.random())
        return self.house.tables[number]

    def play_on(self, number: int, hows: Iterable[int]) -> None:
        """Have the players do what the table waits for, one after the other."""
        for how in hows:
            at = self.at(number)
            if (waited_for := self.what_is_waited_for(at, how)) is None:
                return
            user, command = waited_for
            answer = self.house.send(at, user, command)
            if isinstance(command, Choice):
                assert answer in ("done", "stale_turn"), f"what was offered is refused: {answer}"
            self.everything_adds_up()

    def command(self, kind: type[Command], *fields: object) -> TableCommand:
        """A command with a fresh id."""
        return kind(self.house.new_id(), *fields)

    def sits(self, seat: int) -> TableCommand:
        """With a commitment, but for the second seat, which adds nothing to the first shuffle."""
        return self.command(Sit, seat, None if seat == 2 else _commitment(seat))

    def a_bet(self, at: TableClient, user: User, how: int) -> TableCommand:
        """From the least on, in whole units, often odd ones; with words that fit."""
        live = at.live
        rules, turn, seat = live.rules, live.row.turn, live.seat_of(user.pk)
        commitment = _commitment(seat.number) if seat else None
        least = rules.stakes.minimum if rules.stakes else 0
        stake = least * (1 + how % 4) + 100 * (how // 4) if least else 0
        return self.command(Bet, turn, stake, WORDS, commitment)

    def what_is_waited_for(self, at: TableClient, how: int) -> tuple[User, TableCommand] | None:
        """A command that takes the round on; now and then another one about a bet that lies there.

        What can seldom be chosen is chosen often, and so is what does not bust.
        """
        live = at.live
        turn, bets = live.row.turn, live.game.bets
        view = build_public_table(live)
        question = view.insurance[how % len(view.insurance)] if view.insurance else view.asked
        if question:
            rare = [what for what in question.legal if what in ("split", "insure")]
            often = [what for what in ("stand", "decline") if what in question.legal]
            choices = rare if rare and how % 2 else [*question.legal, *often]
            kind = COMMANDS[choices[how % len(choices)]]
            return live.seats[question.seat].user, self.command(kind, turn)
        bettors = [live.seats[number].user for number in bets]
        others = [seat.user for number, seat in live.seats.items() if number not in bets]
        if bettors and how % 4 == 3:
            user = bettors[how % len(bettors)]
            if how % 8 == 3:
                return user, self.command(TakeBack, turn)
            return user, self.a_bet(at, user, how)
        return (others[0], self.a_bet(at, others[0], how)) if others else None

    def die_on_the_way(self, place: str, at: TableClient, hows: Iterable[int]) -> None:
        """Play on until the process dies at this place; whoever sent the command sends it again."""
        for how in hows:
            waited_for = self.what_is_waited_for(at, how)
            if waited_for is None or self.house.is_overdue(at):
                return
            user, command = waited_for

            def send(user: User = user, command: TableCommand = command) -> str:
                return self.house.send(at, user, command)

            has_died = self.house.die(place, send)
            self.everything_adds_up()
            if has_died and self.house.sent and self.house.sent[-1].command == command:
                self.house.send_again(self.house.sent[-1])
            if has_died:
                return

    def void_or_not(self, round_: Round, *, approves: bool) -> None:
        """One operator asks for a void; where two are needed, the other one decides."""
        first, second = self.before.operators
        now, before = self.house.now, self.house.as_it_is()
        try:
            void = Void.objects.filter(round=round_, status="waiting").first()
            decided = Effects(void) if void else voids.request_void(round_.pk, first, "So.", now)
            if decided.value.status == "waiting" and approves:
                decided = voids.approve_void(decided.value.pk, second, now)
            elif decided.value.status == "waiting":
                decided = voids.refuse_void(decided.value.pk, second, "No.", now)
        except CannotVoid:
            assert self.house.as_it_is() == before
        else:
            self.house.hear(decided.changes)

    def look_who_is_there(self, but: User | None = None) -> None:
        """Everybody who sits somewhere has a page open there, but for one."""
        for at in self.house.tables:
            users = [seat.user for seat in at.live.seats.values()]
            self.house.come_and_go(at, [user for user in users if user != but])

    def run_out_once(self, at: TableClient) -> None:
        """Let the clock run out; a second look at it does nothing more."""
        self.house.watch_the_clock(self.house.get_remaining_seconds(at))
        assert not self.house.is_overdue(at)
        assert deadlines.apply_deadline(at.table_id, at.now) == ()
