"""A player's rounds as files: all of them, piece by piece."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import AsyncClient, Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from tables.models import PileGame, Result, Table
from tables.records import round_export
from tables.records.rounds import EVERYTHING
from tests.helpers.rounds import play_round
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
CSV, JSON = "/history/rounds.csv", "/history/rounds.json"
SPLIT = "8s 6h 8d Kc 2c 3d 9s Ts Th"


@pytest.fixture(autouse=True)
def _nobody_has_downloaded_yet() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def anns(client: Client, ann: User) -> Client:
    """A browser in which ann is logged in."""
    client.force_login(ann)
    return client


def text_of(client: Client, path: str, **query: Any) -> str:
    answer = client.get(path, query)
    assert answer.status_code == 200
    return b"".join(answer.streaming_content).decode()


def rows_of(client: Client, **query: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text_of(client, CSV, **query))))


def objects_of(client: Client, **query: Any) -> list[dict[str, Any]]:
    data = json.loads(text_of(client, JSON, **query))
    assert list(data) == ["rounds"]
    rounds: list[dict[str, Any]] = data["rounds"]
    return rounds


def play_a_split(casino: TableClient, ann: User, stack: Stack) -> Result:
    stack(SPLIT)
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    for action in ("split", "double", "stand"):
        casino.act(ann, action)
    return Result.objects.latest("pk")


def lose_rounds(casino: TableClient, ann: User, stack: Stack, count: int) -> None:
    casino.sit(ann, 1)
    for _ in range(count):
        casino.later(1)
        stack("Ts Th 7s 9h")
        casino.bet(ann, 1000)
        casino.act(ann, "stand")


def test_a_round_is_a_line_with_all_hands(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    result = play_a_split(casino, ann, stack)
    (row,) = rows_of(anns)
    assert row == {
        "round": str(result.round_id),
        "finished_at": result.finished_at.isoformat(),
        "table": "Casino",
        "round_at_table": "1",
        "rules": "casino",
        "seat": "1",
        "game": "",
        "game_winner": "",
        "hands": "8s 2c 9s | 8d 3d",
        "totals": "19 | 11",
        "outcomes": "win | win",
        "dealer": "6h Kc Ts",
        "decisions": "3",
        "stake_in_units": "30.00",
        "payout_in_units": "60.00",
        "net_in_units": "30.00",
        "behind": "",
        "table_chips": "",
    }


def test_a_round_is_an_object_with_all_hands(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    result = play_a_split(casino, ann, stack)
    (item,) = objects_of(anns)
    first, second = item.pop("hands")
    assert item == {
        "round": result.round_id,
        "finished_at": result.finished_at.isoformat(),
        "table": "Casino",
        "round_at_table": 1,
        "rules": "casino",
        "seat": 1,
        "game": None,
        "game_winner": None,
        "dealer": "6h Kc Ts",
        "outcome": "win",
        "decisions": 3,
        "stake_in_hundredths": 3000,
        "payout_in_hundredths": 6000,
        "net_in_hundredths": 3000,
        "is_behind": False,
        "is_table_chips": False,
    }
    assert first == {
        "cards": "8s 2c 9s",
        "total": 19,
        "outcome": "win",
        "is_doubled": True,
        "stake_in_hundredths": 2000,
        "payout_in_hundredths": 4000,
        "insurance_stake_in_hundredths": 0,
        "insurance_payout_in_hundredths": 0,
    }
    assert (second["cards"], second["stake_in_hundredths"]) == ("8d 3d", 1000)


def test_a_loss_is_a_number_below_zero(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    lose_rounds(casino, ann, stack, 1)
    assert rows_of(anns)[0]["net_in_units"] == "-10.00"
    assert objects_of(anns)[0]["net_in_hundredths"] == -1000


def test_every_hand_of_a_game_has_a_line_with_the_games_number(
    anns: Client, piles: TableClient, ann: User
) -> None:
    piles.sit(ann, 1)
    for chance in range(20):
        if not PileGame.objects.exists():
            play_round(piles, [ann], Random(chance))
    game = PileGame.objects.get()
    results = list(Result.objects.order_by("-pk"))
    rows = rows_of(anns)
    assert [row["round"] for row in rows] == [str(result.round_id) for result in results]
    assert {row["game"] for row in rows} == {str(results[0].game_id)}
    assert {row["game_winner"] for row in rows} == {game.winner}
    assert all(row["hands"] and row["dealer"] for row in rows)
    assert {item["game"] for item in objects_of(anns)} == {results[0].game_id}


def test_cards_of_a_game_that_goes_on_are_in_no_file(
    anns: Client, piles: TableClient, ann: User
) -> None:
    piles.sit(ann, 1)
    play_round(piles, [ann], Random(1))
    (row,) = rows_of(anns)
    assert (row["hands"], row["dealer"]) == ("", "")
    (item,) = objects_of(anns)
    assert (item["hands"][0]["cards"], item["dealer"]) == (None, None)


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@sum"])
def test_a_name_is_no_formula(
    name: str, anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    lose_rounds(casino, ann, stack, 1)
    Table.objects.update(name=name)
    assert rows_of(anns)[0]["table"] == f"'{name}"
    assert objects_of(anns)[0]["table"] == name


def test_names_may_have_commas_quotes_and_any_letters(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    lose_rounds(casino, ann, stack, 1)
    Table.objects.update(name='Jö, "die" Runde\n♠')
    assert rows_of(anns)[0]["table"] == 'Jö, "die" Runde\n♠'
    assert objects_of(anns)[0]["table"] == 'Jö, "die" Runde\n♠'


def test_files_of_nothing_are_files_too(anns: Client) -> None:
    assert rows_of(anns) == []
    assert text_of(anns, CSV).startswith("round,finished_at,table,")
    assert objects_of(anns) == []


def test_all_rounds_are_in_the_file_however_it_is_cut(
    anns: Client, casino: TableClient, ann: User, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose_rounds(casino, ann, stack, 7)
    expected = list(Result.objects.values_list("round_id", flat=True))
    for size in (1, 2, 3, 7, 8):
        monkeypatch.setattr(round_export, "PIECE", size)
        assert [int(row["round"]) for row in rows_of(anns)] == expected
        assert [item["round"] for item in objects_of(anns)] == expected


def test_a_piece_is_read_when_it_is_due(
    ann: User, casino: TableClient, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no sooner: a long history is not in memory."""
    lose_rounds(casino, ann, stack, 7)
    monkeypatch.setattr(round_export, "PIECE", 2)
    pieces = round_export.iter_csv(ann, EVERYTHING)
    with CaptureQueriesContext(connection) as queries:
        assert next(pieces).startswith(b"round,")
        assert len(queries) == 0
        for number in range(1, 5):
            assert next(pieces).count(b"\r\n") == (1 if number == 4 else 2)
            assert len(queries) == 2 * number
        assert next(pieces, None) is None
        assert len(queries) == 8


def test_filters_hold_for_files_too(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    lose_rounds(casino, ann, stack, 2)
    play = play_a_split(casino, ann, stack)
    assert [row["round"] for row in rows_of(anns, outcome="win")] == [str(play.round_id)]
    assert objects_of(anns, rules="vegas") == []
    assert len(objects_of(anns, rules="poker")) == 3


def test_nobody_gets_the_rounds_of_others(
    client: Client, casino: TableClient, ann: User, dora: User, stack: Stack
) -> None:
    lose_rounds(casino, ann, stack, 1)
    for path in (CSV, JSON):
        answer = client.get(path)
        assert answer.headers["Location"] == f"/accounts/login/?next={path}"
    client.force_login(dora)
    assert (rows_of(client), objects_of(client)) == ([], [])


def test_what_was_emptied_is_in_no_file(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    lose_rounds(casino, ann, stack, 2)
    User.objects.filter(pk=ann.pk).update(history_since=Result.objects.earliest("pk").finished_at)
    assert len(rows_of(anns)) == len(objects_of(anns)) == 1


def test_other_endings_are_not_offered(anns: Client) -> None:
    for path in ("/history/rounds.xml", "/history/rounds.", "/history/rounds.CSV"):
        assert anns.get(path).status_code == 404
    assert anns.post(CSV).status_code == 405


def test_files_are_named_typed_and_kept_by_nobody(anns: Client) -> None:
    for path, kind in ((CSV, "text/csv; charset=utf-8"), (JSON, "application/json")):
        headers = anns.get(path).headers
        assert headers["Content-Type"] == kind
        name = path.rpartition("/")[2]
        assert headers["Content-Disposition"] == f'attachment; filename="{name}"'
        assert headers["Cache-Control"] == "private, no-store"


def test_twenty_files_an_hour_are_enough(anns: Client, client: Client, ben: User) -> None:
    answers = [anns.get(CSV).status_code for _ in range(21)]
    assert answers == [200] * 20 + [429]
    client.force_login(ben)
    assert client.get(JSON).status_code == 200


# Through the server's own interface


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("accepted", ["", "gzip"])
async def test_the_server_streams_a_file_piece_by_piece(
    accepted: str, ann: User, casino: TableClient, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compressed, it is one archive: browsers read no second one."""
    from asgiref.sync import sync_to_async

    await sync_to_async(lose_rounds)(casino, ann, stack, 5)
    monkeypatch.setattr(round_export, "PIECE", 2)
    browser = AsyncClient()
    await browser.aforce_login(ann)
    answer = await browser.get(JSON, headers={"accept-encoding": accepted})
    assert answer.is_async
    pieces = [piece async for piece in answer.streaming_content]
    body = b"".join(pieces)
    assert answer.headers.get("Content-Encoding", "") == accepted
    assert "Accept-Encoding" in answer.headers["Vary"]
    if accepted:
        assert body.count(b"\x1f\x8b\x08") == 1
        body = gzip.decompress(body)
    else:
        assert len(pieces) == 5
    assert len(json.loads(body)["rounds"]) == 5
