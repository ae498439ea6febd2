"""The auditor of the crash rig finds what is wrong: in true stories that were doctored."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable

import msgspec
import pytest

from accounts.models import Account, User
from tables.models import Change, Result, Round, Table
from tables.protocol import change_body, codec
from tables.protocol.commands import Bet, Leave, Sit, Stand, TableCommand, TurnCommand
from tables.protocol.frames import Done
from tables.realtime import snapshots
from tests.chaos.audit import faults
from tests.chaos.client_log import History, Line, cards_of
from tests.helpers.settled_hands import change_hands
from tests.helpers.table_client import TableClient

Doctor = Callable[[list[History]], None]


class HistoryRecorder:
    """Plays at a table, and writes down what the pages of its players would have."""

    def __init__(self, at: TableClient, *users: User) -> None:
        self.at = at
        self.histories = {user.pk: History(user.username, at.table_id) for user in users}
        for user in users:
            snapshot = snapshots.table_snapshot(at.table_id, user.pk, at.now)
            table = json.loads(codec.encode(snapshot.table))
            own, you = self.histories[user.pk], snapshot.you
            values = {"balance": you.balance, "balance_seq": you.balance_seq}
            cards = cards_of(table)
            own.note("snapshot", seq=snapshot.seq, cards=cards, **values, is_applied=True)

    def give(self, user: User, command: TableCommand) -> None:
        own = self.histories[user.pk]
        own.note("invoke", command=json.loads(codec.encode(command)))
        own.note("sent", id=str(command.id))
        played = self.at.send(user, command)
        assert isinstance(played.value, Done), played.value
        for change in played.changes:
            frame = msgspec.to_builtins(change.changed)
            for history in self.histories.values():
                events = json.loads(codec.encode(frame["events"]))
                cards = json.loads(codec.encode(cards_of(frame["table"])))
                seq = frame["seq"]
                history.note("changed", seq=seq, events=events, cards=cards, is_applied=True)
            for user_id, (balance, seq) in change.wallets.items():
                self.histories[user_id].note("wallet", balance=balance, balance_seq=seq)
        own.note("ok", id=str(command.id), seq=played.value.seq)

    def decide(self, kind: type[TurnCommand], user: User, **fields: object) -> None:
        self.give(user, kind(uuid.uuid4(), self.at.row.turn, **fields))


@pytest.fixture
def histories(casino: TableClient, ann: User, ben: User) -> list[History]:
    """Ann and ben have played three rounds at the casino table, and left."""
    recorder = HistoryRecorder(casino, ann, ben)
    people = {1: ann, 2: ben}
    for number, user in people.items():
        recorder.give(user, Sit(uuid.uuid4(), number))
    for _ in range(3):
        for user in people.values():
            recorder.decide(Bet, user, stake=1000)
        while (decision := casino.view.asked) is not None:
            recorder.decide(Stand, people[decision.seat])
    for user in people.values():
        recorder.give(user, Leave(uuid.uuid4()))
    return list(recorder.histories.values())


def kinds(histories: list[History]) -> set[str]:
    return {fault.kind for fault in faults(histories)}


def changed(history: History) -> list[Line]:
    return history.of("changed")


def test_a_true_story_has_no_faults(histories: list[History]) -> None:
    assert list(faults(histories)) == []
    assert Round.objects.filter(finished_at__isnull=False).count() == 3


# Commands


def an_acknowledged_command_is_lost(histories: list[History]) -> None:
    command = {"t": "leave", "id": str(uuid.uuid4())}
    histories[0].note("invoke", command=command)
    histories[0].note("sent", id=command["id"])
    histories[0].note("ok", id=command["id"], seq=3)


def a_command_is_answered_as_two_changes(histories: list[History]) -> None:
    answer = histories[0].of("ok")[1]
    histories[0].note("ok", id=answer["id"], seq=answer["seq"] + 1)


def an_unknown_command_is_done_twice(histories: list[History]) -> None:
    row = Change.objects.filter(user__username="ann").earliest("seq")
    Change.objects.create(
        table=row.table, seq=row.table.seq + 1, at=row.at, user=row.user,
        command_id=uuid.uuid4(), body=change_body.encode(row.command, None, "[]"),
    )  # fmt: skip
    Table.objects.update(seq=row.table.seq + 1)
    for history in histories:
        cards = changed(history)[-1]["cards"]
        history.note("changed", seq=row.table.seq + 1, events=[], cards=cards, is_applied=True)
    answer = histories[0].of("ok")[0]
    answer["what"] = "unknown"


def a_refused_command_is_done(histories: list[History]) -> None:
    answer = histories[0].of("ok")[1]
    answer |= {"what": "fail", "code": "stale_turn"}


def a_command_is_stored_as_another(histories: list[History]) -> None:
    line = next(line for line in histories[0].of("invoke") if line["command"]["t"] == "bet")
    line["command"]["stake"] = 2000


# Events


def a_page_misses_a_change(histories: list[History]) -> None:
    histories[0].lines.remove(changed(histories[0])[4])


def a_page_misses_the_last_change(histories: list[History]) -> None:
    histories[1].lines.remove(changed(histories[1])[-1])


def a_page_is_told_something_else(histories: list[History]) -> None:
    changed(histories[0])[2]["events"] = [{"type": "bet_placed", "seat": 1, "stake": 2000}]


def a_change_that_was_told_is_gone(histories: list[History]) -> None:
    last = changed(histories[0])[-1]
    histories[0].lines.append(last | {"seq": last["seq"] + 1})


def a_page_is_shown_an_older_table(histories: list[History]) -> None:
    first = histories[0].of("snapshot")[0]
    values = {"seq": 2, "cards": first["cards"], "balance": None, "balance_seq": 0}
    histories[0].note("snapshot", **values, is_applied=True)


# Cards


def a_card_is_another_for_one_of_them(histories: list[History]) -> None:
    line = next(line for line in changed(histories[0]) if line["cards"]["hands"])
    line["cards"]["hands"]["1"][0][0] = "??"


def a_card_is_another_for_everybody(histories: list[History]) -> None:
    # Not by the number 1: SQLite goes on counting from one test to the next.
    first = next(filter(None, (line["cards"]["round"] for line in changed(histories[0]))))
    for history in histories:
        for line in changed(history):
            if line["cards"]["round"] == first and line["cards"]["dealer"]:
                line["cards"]["dealer"][0] = "2d" if line["cards"]["dealer"][0] != "2d" else "3d"


def another_hand_is_stored(histories: list[History]) -> None:
    first = Result.objects.earliest("pk")
    change_hands(Result.objects.filter(pk=first.pk), cards="2d 2d")


# Rounds and money


def a_round_stays_open(histories: list[History]) -> None:
    Round.objects.filter(pk=Round.objects.latest("pk").pk).update(finished_at=None)


def money_is_left_on_a_table(histories: list[History]) -> None:
    Table.objects.update(staked=500)


def a_player_was_told_of_more(histories: list[History]) -> None:
    histories[0].of("wallet")[-1]["balance"] += 100


def a_wallet_holds_more(histories: list[History]) -> None:
    wallet = Account.objects.get(user__username="ann")
    Account.objects.filter(pk=wallet.pk).update(balance=wallet.balance + 100)
    histories[0].of("wallet")[-1]["balance"] += 100


def a_page_is_shut_out(histories: list[History]) -> None:
    histories[0].note("closed", code=4401)


@pytest.mark.parametrize(
    ("doctor", "kind"),
    [
        (an_acknowledged_command_is_lost, "lost"),
        (a_command_is_answered_as_two_changes, "doubled"),
        (an_unknown_command_is_done_twice, "doubled"),
        (a_refused_command_is_done, "events"),
        (a_command_is_stored_as_another, "events"),
        (a_page_misses_a_change, "events"),
        (a_page_misses_the_last_change, "events"),
        (a_page_is_told_something_else, "events"),
        (a_change_that_was_told_is_gone, "events"),
        (a_page_is_shown_an_older_table, "events"),
        (a_card_is_another_for_one_of_them, "cards"),
        (a_card_is_another_for_everybody, "cards"),
        (another_hand_is_stored, "cards"),
        (a_round_stays_open, "stuck"),
        (money_is_left_on_a_table, "money"),
        (a_player_was_told_of_more, "money"),
        (a_wallet_holds_more, "money"),
        (a_page_is_shut_out, "line"),
    ],
)
def test_the_auditor_finds_it_when(histories: list[History], doctor: Doctor, kind: str) -> None:
    doctor(histories)
    assert kind in kinds(histories)
