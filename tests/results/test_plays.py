"""The hands of a result: how they are stored, and how those of before came there."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from accounts.models import User
from tables.models import Hand, Result
from tables.models.hands import decode_hands, encode_hands
from tests.helpers.settled_hands import list_hands
from tests.helpers.table_client import TableClient

OLD_TABLE = """
    CREATE TABLE tables_hand (
        id integer PRIMARY KEY, round_id bigint, seat smallint, number smallint, user_id bigint,
        cards varchar(80), total smallint, is_doubled boolean, outcome varchar(10), stake bigint,
        payout bigint, insurance_stake bigint, insurance_payout bigint
    )
"""
BEFORE = ("tables", "0016_numbers_at_the_table")


def hand(number: int, **values: object) -> Hand:
    fields = {
        "round_id": 7, "seat": 2, "number": number, "user_id": 3, "cards": "8s Td", "total": 18,
        "is_doubled": False, "outcome": "win", "stake": 1000, "payout": 2000,
    }  # fmt: skip
    return Hand(**{**fields, **values})


@pytest.mark.parametrize(
    ("hands", "text"),
    [
        ([], "[]"),
        ([hand(1)], '[["8s Td",18,0,"win",1000,2000]]'),
        (
            [
                hand(1, insurance_stake=500),
                hand(2, is_doubled=True, stake=2000, payout=0, outcome="lose"),
            ],
            '[["8s Td",18,0,"win",1000,2000,500,0],["8s Td",18,1,"lose",2000,0]]',
        ),
        ([hand(1, stake=0, payout=0)], '[["8s Td",18,0,"win",0,0]]'),
    ],
)
def test_hands_are_read_as_they_were_written(hands: list[Hand], text: str) -> None:
    assert encode_hands(hands) == text
    assert decode_hands(text, round_id=7, seat=2, user_id=3) == hands


def test_an_aborted_round_has_no_hands() -> None:
    assert decode_hands("", round_id=7, seat=2, user_id=3) == []


@pytest.fixture
def old_hands(ann: User, vegas: TableClient, stack: Callable[..., None]) -> dict[int, str]:
    """Hands, split, doubled and insured ones among them, as rows of their own; the text by result."""
    stack("8s As 8h 6d Tc Th", "5s Ts 6d 7h 9c", "Ts 9s 7d 8h")
    vegas.sit(ann, 1)
    for actions in (("insure", "split", "stand", "stand"), ("double",), ("stand",)):
        vegas.bet(ann, 1000)
        for action in actions:
            vegas.act(ann, action)
        vegas.later(1)
    hands = list_hands()
    assert [one.number for one in hands] == [1, 2, 1, 1]
    assert [one.insurance_stake for one in hands] == [500, 0, 0, 0]
    assert [one.is_doubled for one in hands] == [False, False, True, False]
    texts = dict(Result.objects.values_list("pk", "hands"))
    with connection.cursor() as cursor:
        cursor.execute(OLD_TABLE)
        cursor.executemany(
            f"INSERT INTO tables_hand VALUES ({', '.join(['%s'] * 13)})",
            [
                (
                    number, one.round_id, one.seat, one.number, one.user_id, one.cards, one.total,
                    one.is_doubled, one.outcome, one.stake, one.payout, one.insurance_stake,
                    one.insurance_payout,
                )
                for number, one in enumerate(reversed(hands))
            ],
        )  # fmt: skip
    return texts


def move_hands() -> None:
    apps = MigrationLoader(connection).project_state(BEFORE).apps
    with connection.cursor() as cursor:
        editor = SimpleNamespace(connection=connection, execute=cursor.execute)
        import_module("tables.migrations.0019_plays").move_hands(apps, editor)


def test_the_migration_moves_the_hands_of_before(old_hands: dict[int, str]) -> None:
    Result.objects.update(hands="")
    move_hands()
    assert dict(Result.objects.values_list("pk", "hands")) == old_hands


def test_a_hand_without_a_result_stops_the_migration(old_hands: dict[int, str]) -> None:
    lost = Result.objects.earliest("pk")
    lost.delete()
    Result.objects.update(hands="")
    with pytest.raises(RuntimeError, match=f"user {lost.user_id} has no result in round"):
        move_hands()
    assert not Result.objects.with_hands().exists()


def test_a_result_of_no_hands_stays_without(old_hands: dict[int, str], casino: TableClient) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM tables_hand")
    move_hands()
    assert not Result.objects.with_hands().exists()
