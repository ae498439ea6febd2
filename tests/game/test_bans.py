"""The host bans a player from the table until that is taken back."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest
from django.utils import timezone

from accounts.models import Act, User
from tables import access
from tables.game import account_deletion, host_commands
from tables.models import Removal
from tables.protocol.commands import Say
from tables.protocol.frames import Err
from tables.realtime import snapshots
from tables.social import chat
from tests.game.test_host_commands import anns, ban, free, hand_on, made_by, operator
from tests.helpers.rounds import faults, sit_down, types
from tests.helpers.table_client import (
    TableClient,
    balance_of,
    code,
    events,
    fingerprint,
    new_player,
    refusal,
)

pytestmark = pytest.mark.django_db
__all__ = ["anns", "operator"]


def says(at: TableClient, user: User) -> str:
    answer = chat.execute(at.table_id, user.pk, Say(uuid.uuid4(), "Hello"), timezone.now()).value
    return answer.code if isinstance(answer, Err) else "done"


def test_who_is_banned_loses_the_seat_and_gets_none_until_it_is_taken_back(
    anns: TableClient, ann: User, ben: User
) -> None:
    sit_down(anns, ann, ben)
    anns.bet(ben, 1000)
    event_dicts = events(anns.send(ann, ban("ben")))
    assert types(event_dicts) == ["player_banned", "bet_returned", "player_left"]
    assert (event_dicts[0]["player"], event_dicts[2]["reason"]) == ("ben", "banned")
    assert balance_of(ben) == 50_000
    anns.later(100_000)
    refused = anns.sit(ben, 2)
    assert code(refused) == "banned"
    assert "banned you" in refusal(refused)
    assert says(anns, ben) == "banned"
    assert events(anns.send(ann, ban("ben", on=False))) == [{"type": "ban_lifted", "player": "ben"}]
    assert code(anns.sit(ben, 2)) == "done"
    assert says(anns, ben) == "done"
    assert faults() == []


def test_in_mid_round_the_hand_stands_and_is_paid_and_then_the_seat_is_free(
    anns: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Ts Td 6h 9d 8c Kc Th")
    sit_down(anns, ann, ben)
    for user in (ann, ben):
        anns.bet(user, 1000)
    assert types(events(anns.send(ann, ban("ben")))) == ["player_banned"]
    event_dicts = events(anns.act(ann, "stand"))
    assert [e["seat"] for e in event_dicts if e["type"] == "hand_settled"] == [1, 2]
    assert "player_left" in types(event_dicts)
    assert code(anns.sit(ben, 2)) == "banned"
    assert faults() == []


def test_the_hand_that_is_asked_stands_at_once(
    anns: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Td Ts 6h 8c 9d Kc Th")
    anns.sit(ben, 1)
    anns.sit(ann, 2)
    for user in (ann, ben):
        anns.bet(user, 1000)
    event_dicts = events(anns.send(ann, ban("ben")))
    assert types(event_dicts)[:2] == ["player_banned", "hand_stood"]
    assert faults() == []


def test_who_watches_is_banned_in_any_case_of_letters(
    anns: TableClient, ann: User, dora: User
) -> None:
    assert events(anns.send(ann, ban("DORA"))) == [{"type": "player_banned", "player": "dora"}]
    assert code(anns.sit(dora, 2)) == "banned"


def test_at_a_private_table_the_banned_see_nothing_whatever_their_link_says(
    ann: User, ben: User
) -> None:
    at = made_by(ann, is_private=True)
    link = {str(at.table_id): at.row.code}
    access.grant_access(at.row, ben.pk)
    at.sit(ben, 2)
    banned = at.send(ann, ban("ben"))
    assert banned.changes[0].ends_visits
    assert not access.may_see(at.row, ben.pk, link)
    assert not access.own_tables(ben.pk, at.now).exists()
    assert code(at.sit(ben, 2)) == "not_invited"
    assert says(at, ben) == "table_closed"
    at.send(ann, ban("ben", on=False))
    assert access.may_see(at.row, ben.pk, link)
    assert not access.may_see(at.row, ben.pk, {}), "the link has to be followed again"


def test_the_host_alone_sees_the_list(anns: TableClient, ann: User, ben: User) -> None:
    anns.send(ann, ban("ben"))
    assert snapshots.table_snapshot(anns.table_id, ann.pk, anns.now).you.banned == ("ben",)
    assert snapshots.table_snapshot(anns.table_id, ben.pk, anns.now).you.banned == ()


def test_what_is_so_already_is_no_event(anns: TableClient, ann: User, ben: User) -> None:
    assert events(anns.send(ann, ban("ben", on=False))) == []
    anns.send(ann, ban("ben"))
    assert events(anns.send(ann, ban("ben"))) == []
    assert Removal.objects.get().user == ben


def test_a_command_that_is_sent_twice_is_done_once(anns: TableClient, ann: User, ben: User) -> None:
    command = ban("ben")
    first = anns.send(ann, command)
    anns.send(ann, ban("ben", on=False))
    assert anns.send(ann, command).value == first.value
    assert code(anns.sit(ben, 2)) == "done"


def test_hosts_operators_and_nobody_are_not_banned(
    anns: TableClient, ann: User, operator: User
) -> None:
    before = fingerprint(anns)
    for name, reason in (
        ("ann", "can't ban that player"),
        ("olga", "can't ban that player"),
        ("nobody", "no player of that name"),
    ):
        refused = anns.send(ann, ban(name))
        assert code(refused) == "no_such_player"
        assert reason in refusal(refused)
    assert code(anns.send(operator, ban("ann"))) == "no_such_player"
    assert fingerprint(anns) == before


def test_a_ban_holds_at_its_table_only_and_under_the_next_host(
    anns: TableClient, casino: TableClient, ann: User, ben: User, cleo: User
) -> None:
    sit_down(anns, ann, cleo)
    anns.send(ann, ban("ben"))
    assert code(casino.sit(ben, 1)) == "done"
    anns.send(ann, hand_on("cleo"))
    assert code(anns.send(ann, ban("ben", on=False))) == "not_maker"
    assert code(anns.sit(ben, 3)) == "banned"
    assert code(anns.send(cleo, ban("ben", on=False))) == "done"
    assert code(anns.sit(ben, 3)) == "done"


def test_a_banned_player_whose_hand_is_in_play_becomes_no_host(
    anns: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Ts Td 6h 9d 8c Kc Th")
    sit_down(anns, ann, ben)
    for user in (ann, ben):
        anns.bet(user, 1000)
    anns.send(ann, ban("ben"))
    assert code(anns.send(ann, hand_on("ben"))) == "no_such_player"


def test_a_removal_is_neither_made_a_ban_nor_ends_one(
    anns: TableClient, ann: User, ben: User, cleo: User
) -> None:
    sit_down(anns, ann, ben)
    anns.send(ann, free(2))
    anns.send(ann, ban("ben"))
    anns.later(601)
    anns.sit(cleo, 3)
    anns.send(ann, free(3))
    assert code(anns.sit(ben, 2)) == "banned"
    anns.send(ann, ban("ben", on=False))
    assert code(anns.sit(ben, 2)) == "done"


def test_a_frozen_host_bans_nobody(anns: TableClient, ann: User, ben: User) -> None:
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert code(anns.send(ann, ban("ben"))) == "not_allowed"


def test_a_table_has_so_many_bans_at_most(
    anns: TableClient, ann: User, ben: User, cleo: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_commands, "MOST_BANS", 1)
    anns.send(ann, ban("ben"))
    assert code(anns.send(ann, ban("cleo"))) == "too_many_bans"


def test_the_ban_of_an_operator_is_in_the_audit_log(
    anns: TableClient, ben: User, operator: User
) -> None:
    assert code(anns.send(operator, ban("ben"))) == "done"
    act = Act.objects.get()
    assert act.after == {"command": "ban", "player": "ben", "on": True}


def test_a_deleted_account_is_on_no_list(anns: TableClient, ann: User) -> None:
    user = new_player("gone")
    anns.send(ann, ban("gone"))
    account_deletion.delete_account(user.pk, anns.now)
    assert access.list_banned(anns.row) == ()


def test_who_is_banned_is_in_line_no_more(
    anns: TableClient, ann: User, ben: User, cleo: User, dora: User
) -> None:
    erin = new_player("erin")
    sit_down(anns, ann, ben, cleo)
    for user in (dora, erin):
        assert code(anns.queue_up(user)) == "done"
    assert types(events(anns.send(ann, ban("dora")))) == ["player_banned", "queue_left"]
    assert [entry.user_id for entry in anns.live.queue] == [erin.pk]
    assert code(anns.queue_up(dora)) == "banned"


def test_a_name_with_many_marks_can_be_banned(anns: TableClient, ann: User) -> None:
    long = "a\u0331\u0332" * 20
    user = User.objects.create_user(long)
    sit_down(anns, ann, user)
    assert "player_banned" in types(events(anns.send(ann, ban(user.username))))
