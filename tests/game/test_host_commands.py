"""Who runs a table can lock it, hand it on, free a seat, renew its invite and close it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission

from accounts.models import Account, User
from tables import access
from tables.engine.presets import PRESETS
from tables.game import commands, lifecycle
from tables.game.commands import QueuedCommand
from tables.models import Shoe, Table
from tables.protocol.commands import (
    AllowHints,
    Ban,
    Chat,
    Close,
    Free,
    HandOn,
    Lock,
    Pause,
    Renew,
    TableCommand,
)
from tables.realtime import snapshots
from tables.state.effects import Effects
from tests.helpers.rounds import faults, play_round, sit_down, types
from tests.helpers.site import change_settings
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


def made_by(maker: User, key: str = "casino", *, is_private: bool = False) -> TableClient:
    row = lifecycle.open_table(
        name="Friday night", rules_key=key, host_id=maker.pk, is_private=is_private
    )
    return TableClient(row.pk)


@pytest.fixture
def anns(ann: User) -> TableClient:
    """A table that ann has made."""
    return made_by(ann)


@pytest.fixture
def operator(db: None) -> User:
    """Runs tables for the house."""
    user = new_player("olga")
    user.is_staff = True
    user.save()
    user.user_permissions.add(Permission.objects.get(codename="run_table"))
    return user


def lock(*, on: bool = True) -> Lock:
    return Lock(uuid.uuid4(), on)


def chat(*, on: bool) -> Chat:
    return Chat(uuid.uuid4(), on)


def allow_no_hints() -> AllowHints:
    return AllowHints(uuid.uuid4(), on=False)


def pause(*, on: bool = True) -> Pause:
    return Pause(uuid.uuid4(), on)


def hand_on(player: str) -> HandOn:
    return HandOn(uuid.uuid4(), player)


def free(seat: int) -> Free:
    return Free(uuid.uuid4(), seat)


def ban(player: str, *, on: bool = True) -> Ban:
    return Ban(uuid.uuid4(), player, on)


def renew() -> Renew:
    return Renew(uuid.uuid4())


def close(*, on: bool = True) -> Close:
    return Close(uuid.uuid4(), on=on)


SENTENCES = Path(__file__).parents[2] / "static/js/text/event_templates.js"
OTHERWISE = ("chat_switched", "hints_allowed")
"""Their sentences depend on what was switched."""
EVERY_COMMAND: list[Callable[[], TableCommand]] = [
    lock, lambda: chat(on=False), allow_no_hints, pause, renew, lambda: hand_on("ben"), lambda: free(2),
    lambda: ban("ben"), close,
]  # fmt: skip


@pytest.mark.parametrize("command", EVERY_COMMAND)
def test_only_who_runs_the_table_can_do_any_of_it(
    anns: TableClient, ben: User, dora: User, command: Callable[[], TableCommand]
) -> None:
    anns.sit(ben, 2)
    before = fingerprint(anns)
    for user in (ben, dora):
        assert code(anns.send(user, command())) == "not_maker"
    assert fingerprint(anns) == before


@pytest.mark.parametrize("command", EVERY_COMMAND)
def test_an_operator_can_do_all_of_it_at_a_table_of_the_house(
    casino: TableClient, ben: User, operator: User, command: Callable[[], TableCommand]
) -> None:
    casino.sit(ben, 2)
    assert code(casino.send(ben, command())) == "not_maker"
    assert code(casino.send(operator, command())) == "done"


@pytest.mark.parametrize("command", EVERY_COMMAND)
def test_all_at_the_table_are_told_what_the_host_did(
    anns: TableClient, ann: User, ben: User, command: Callable[[], TableCommand]
) -> None:
    sit_down(anns, ann, ben)
    event_dicts = events(anns.send(ann, command()))
    assert event_dicts
    for event in event_dicts:
        assert f"{event['type']}:" in SENTENCES.read_text() or event["type"] in OTHERWISE


def test_staff_without_the_permission_run_nothing(casino: TableClient, operator: User) -> None:
    operator.user_permissions.clear()
    assert code(casino.send(User.objects.get(pk=operator.pk), lock())) == "not_maker"


# Lock


def test_nobody_new_sits_down_at_a_locked_table(anns: TableClient, ann: User, ben: User) -> None:
    assert types(events(anns.send(ann, lock()))) == ["table_locked"]
    assert anns.view.locked
    refused = anns.sit(ben, 2)
    assert code(refused) == "table_locked"
    assert "ann" in refusal(refused)
    assert code(anns.sit(ann, 1)) == "done"
    assert types(events(anns.send(ann, lock(on=False)))) == ["table_unlocked"]
    assert code(anns.sit(ben, 2)) == "done"


def test_who_sits_plays_on_at_a_locked_table(anns: TableClient, ann: User, ben: User) -> None:
    sit_down(anns, ann, ben)
    anns.send(ann, lock())
    assert code(anns.bet(ben, 1000)) == "done"


def test_what_is_so_already_is_no_event(anns: TableClient, ann: User) -> None:
    assert events(anns.send(ann, lock(on=False))) == []
    assert events(anns.send(ann, chat(on=True))) == []


# Chat


def test_the_chat_is_switched_off_and_on(anns: TableClient, ann: User) -> None:
    assert events(anns.send(ann, chat(on=False))) == [{"type": "chat_switched", "on": False}]
    assert not anns.view.chat
    anns.send(ann, chat(on=True))
    assert anns.view.chat


# Hand on


def test_the_table_is_handed_on_to_a_seated_player(anns: TableClient, ann: User, ben: User) -> None:
    sit_down(anns, ann, ben)
    event_dicts = events(anns.send(ann, hand_on("ben")))
    assert event_dicts == [{"type": "table_handed_on", "player": "ben"}]
    assert anns.view.maker == "ben"
    assert code(anns.send(ann, lock())) == "not_maker"
    assert code(anns.send(ben, lock())) == "done"


def test_it_refuses_to_hand_on_to_who_does_not_sit_there(
    anns: TableClient, ann: User, dora: User
) -> None:
    before = fingerprint(anns)
    for name in ("dora", "nobody"):
        assert code(anns.send(ann, hand_on(name))) == "no_such_player"
    assert fingerprint(anns) == before


def test_nobody_becomes_the_host_of_more_tables_than_may_be_opened(
    anns: TableClient, ann: User, ben: User
) -> None:
    """Neither does a player whom the site does not let open any; an operator decides otherwise."""
    sit_down(anns, ann, ben)
    others = [made_by(ben) for _ in range(lifecycle.MOST_TABLES)]
    refused = anns.send(ann, hand_on("ben"))
    assert code(refused) == "no_such_player"
    assert refusal(refused) == "ben is the host of 5 tables already."
    others[0].send(ben, close())
    change_settings(table_makers="operators")
    refused = anns.send(ann, hand_on("ben"))
    assert refusal(refused) == "ben can't be the host of a table at this site."
    change_settings(table_makers="everybody")
    assert code(anns.send(ann, hand_on("ben"))) == "done"


@pytest.mark.django_db(transaction=True)
def test_two_tables_handed_on_at_once_count_both(ann: User, ben: User, dora: User) -> None:
    """In one transaction, as commands of one turn of the event loop are."""
    first, second = made_by(ann), made_by(dora)
    sit_down(first, ann, ben)
    sit_down(second, dora, ben)
    for _ in range(lifecycle.MOST_TABLES - 1):
        made_by(ben)
    queue = [
        QueuedCommand(first.table_id, ann.pk, hand_on("ben")),
        QueuedCommand(second.table_id, dora.pk, hand_on("ben")),
    ]
    done, refused = commands.execute(queue, first.now)
    assert isinstance(done, Effects)
    assert isinstance(refused, Effects)
    assert code(done) == "done"
    assert refusal(refused) == "ben is the host of 5 tables already."
    assert Table.objects.filter(maker=ben).count() == lifecycle.MOST_TABLES


def test_who_hands_a_private_table_on_is_not_shut_out(ann: User, ben: User) -> None:
    table = made_by(ann, is_private=True)
    access.grant_access(table.row, ben.pk)
    sit_down(table, ann, ben)
    table.send(ann, hand_on("ben"))
    table.leave(ann)
    assert access.may_see(table.row, ann.pk, {})


# Free a seat


def test_a_seat_is_freed_between_rounds_and_its_bet_returned(
    anns: TableClient, ann: User, ben: User, cleo: User
) -> None:
    sit_down(anns, ann, ben, cleo)
    anns.bet(ben, 1000)
    event_dicts = events(anns.send(ann, free(2)))
    assert types(event_dicts) == ["bet_returned", "player_left"]
    assert event_dicts[1]["reason"] == "freed"
    assert anns.view.seats[1].player is None
    assert balance_of(ben) == 50_000
    assert faults() == []


def test_no_seat_is_freed_while_cards_are_played(
    anns: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Ts Td 6h 9d 8c Kc Th")
    sit_down(anns, ann, ben)
    for user in (ann, ben):
        anns.bet(user, 1000)
    before = fingerprint(anns)
    assert code(anns.send(ann, free(2))) == "wrong_phase"
    assert fingerprint(anns) == before


def test_it_refuses_to_free_a_free_seat(anns: TableClient, ann: User) -> None:
    assert code(anns.send(ann, free(3))) == "no_such_seat"


def test_the_cards_fall_when_the_seat_that_was_waited_for_is_freed(
    anns: TableClient, ann: User, ben: User
) -> None:
    sit_down(anns, ann, ben)
    anns.bet(ann, 1000)
    assert "card_dealt" in types(events(anns.send(ann, free(2))))


# Close


@pytest.mark.parametrize("key", PRESETS)
def test_a_table_is_closed_between_rounds_and_all_bets_returned(
    ann: User, ben: User, key: str
) -> None:
    table = made_by(ann, key)
    players = [ann, ben][: table.row.rules.seats]
    sit_down(table, *players)
    if len(players) > 1:
        stakes = table.row.rules.stakes
        table.bet(ann, stakes.minimum if stakes else 0)
    event_types = types(events(table.send(ann, close())))
    assert event_types[-1] == "table_closed"
    assert event_types.count("player_left") == len(players)
    assert "card_dealt" not in event_types
    assert table.row.closed_at == table.now
    assert table.row.deadline_at is None
    assert balance_of(ann) == 50_000
    assert faults() == []


def test_who_has_not_bet_keeps_nobody_from_closing(anns: TableClient, ann: User, ben: User) -> None:
    sit_down(anns, ann, ben)
    anns.bet(ben, 1000)
    assert "card_dealt" not in types(events(anns.send(ann, close())))
    assert balance_of(ben) == 50_000


def test_a_round_that_is_played_is_the_last_one(
    anns: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Ts Td 6h 9d 8c Kc Th")
    sit_down(anns, ann, ben)
    for user in (ann, ben):
        anns.bet(user, 1000)
    assert types(events(anns.send(ann, close()))) == ["table_closing"]
    assert anns.view.closing
    anns.act(ann, "stand")
    event_types = types(events(anns.act(ben, "stand")))
    assert event_types[-3:] == ["player_left", "player_left", "table_closed"]
    assert balance_of(ann) == 51_000
    assert faults() == []


def test_a_host_takes_the_closing_back_before_the_round_is_over(
    anns: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Ts Td 6h 9d 8c Kc Th")
    sit_down(anns, ann, ben)
    for user in (ann, ben):
        anns.bet(user, 1000)
    anns.send(ann, close())
    assert code(anns.send(ben, close(on=False))) == "not_maker"
    event_dicts = events(anns.send(ann, close(on=False)))
    assert event_dicts == [{"type": "table_kept_open", "player": "ann"}]
    assert not anns.view.closing
    assert events(anns.send(ann, close(on=False))) == []
    anns.act(ann, "stand")
    assert "table_closed" not in types(events(anns.act(ben, "stand")))
    assert len(anns.live.seats) == 2
    anns.send(ann, close())
    assert code(anns.send(ann, close(on=False))) == "table_closed"
    assert faults() == []


def test_the_clock_closes_the_table_too(
    anns: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("Ts 6h 9d Kc 5h")
    sit_down(anns, ann)
    anns.bet(ann, 1000)
    anns.send(ann, close())
    (change,) = anns.time_is_up()
    assert change.changed.events[-1] == {"type": "table_closed"}
    assert change.ends_visits


def test_nothing_can_be_done_at_a_closed_table(anns: TableClient, ann: User, ben: User) -> None:
    anns.sit(ann, 1)
    anns.send(ann, close())
    before = fingerprint(anns)
    assert code(anns.sit(ben, 1)) == "table_closed"
    assert code(anns.send(ann, lock())) == "table_closed"
    assert fingerprint(anns) == before
    with pytest.raises(Table.DoesNotExist):
        snapshots.table_snapshot(anns.table_id, ann.pk, anns.now)


def test_a_game_of_piles_that_is_closed_opens_its_deck(ann: User) -> None:
    from random import Random

    table = made_by(ann, "piles")
    sit_down(table, ann)
    play_round(table, [ann], Random(1))
    shoe = table.live.game.shoe
    assert shoe is not None
    table.send(ann, close())
    assert Shoe.objects.get(pk=shoe.id).secret != ""


# Renew


def test_a_new_invite_keeps_who_sits_and_shuts_the_others_out(
    ann: User, ben: User, dora: User
) -> None:
    table = made_by(ann, is_private=True)
    old = table.row.code
    for user in (ben, dora):
        access.grant_access(table.row, user.pk)
    table.sit(ben, 2)
    assert events(table.send(ann, renew())) == [{"type": "invite_renewed"}]
    assert table.row.code != old
    assert access.may_see(table.row, ann.pk, {})
    assert access.may_see(table.row, ben.pk, {})
    assert not access.may_see(table.row, dora.pk, {str(table.table_id): old})
    assert code(table.sit(dora, 3)) == "not_invited"
    table.leave(ben)
    assert code(table.sit(ben, 2)) == "done"


def test_the_new_code_is_in_no_event(ann: User) -> None:
    table = made_by(ann, is_private=True)
    played = table.send(ann, renew())
    assert table.row.code not in str(played)


# Unused


def test_tables_that_nobody_uses_are_put_away_and_those_of_the_house_are_not(
    casino: TableClient, ann: User, ben: User
) -> None:
    from datetime import timedelta

    public, private, busy = made_by(ann), made_by(ann, is_private=True), made_by(ann)
    busy.sit(ben, 1)
    now = public.now + timedelta(days=1, seconds=5)
    assert [change.table_id for change in lifecycle.close_unused_tables(now)] == [public.table_id]
    now += timedelta(days=30)
    assert [change.table_id for change in lifecycle.close_unused_tables(now)] == [private.table_id]
    assert Table.objects.filter(closed_at=None).count() == 2


def test_one_player_has_five_tables_at_most(ann: User) -> None:
    tables = [made_by(ann) for _ in range(lifecycle.MOST_TABLES)]
    accounts = Account.objects.count()
    with pytest.raises(lifecycle.TooManyTables):
        made_by(ann)
    assert Account.objects.count() == accounts
    tables[0].send(ann, close())
    made_by(ann)


# Sent away


def test_who_was_sent_away_sits_down_again_after_ten_minutes_and_not_before(
    anns: TableClient, ann: User, ben: User, cleo: User
) -> None:
    sit_down(anns, ann, ben)
    anns.send(ann, free(2))
    before = fingerprint(anns)
    for seconds, wait in [(0, "in 10 minutes"), (61, "in 9 minutes"), (500, "in one minute")]:
        anns.later(seconds)
        refused = anns.sit(ben, 3)
        assert code(refused) == "removed"
        assert wait in refusal(refused)
    assert fingerprint(anns) == before
    assert code(anns.sit(cleo, 2)) == "done", "nobody else is kept from a seat"
    anns.later(40)
    assert code(anns.sit(ben, 3)) == "done"


def test_who_was_sent_away_twice_waits_anew(anns: TableClient, ann: User, ben: User) -> None:
    for _ in range(2):
        sit_down(anns, ben)
        anns.send(ann, free(1))
        assert code(anns.sit(ben, 1)) == "removed"
        anns.later(601)


def test_a_guest_is_sent_away_like_everybody(anns: TableClient, ann: User, ben: User) -> None:
    User.objects.filter(pk=ben.pk).update(is_guest=True)
    sit_down(anns, ben)
    anns.send(ann, free(1))
    assert code(anns.sit(ben, 1)) == "removed"


def test_the_host_is_kept_from_no_seat_of_the_own_table(
    anns: TableClient, ann: User, operator: User
) -> None:
    sit_down(anns, ann)
    anns.send(operator, free(1))
    assert code(anns.sit(ann, 1)) == "done"


def test_who_was_sent_away_sits_down_at_any_other_table(
    anns: TableClient, casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(anns, ben)
    anns.send(ann, free(1))
    assert code(casino.sit(ben, 1)) == "done"


def test_who_loses_access_by_a_new_code_or_a_ban_is_told_in_the_lobby(
    ann: User, ben: User, dora: User
) -> None:
    table = made_by(ann, is_private=True)
    for user in (ben, dora):
        access.grant_access(table.row, user.pk)
    sit_down(table, ann, ben)
    (change,) = table.send(ann, renew()).changes
    assert change.shut_out == (dora.pk,)
    (change,) = table.send(ann, ban("ben")).changes
    assert change.shut_out == (ben.pk,)
