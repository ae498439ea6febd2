"""Commands in words: each one that can be sent has a sentence, and no operator reads JSON."""

from __future__ import annotations

import re
import typing
import uuid
from collections.abc import Callable, Iterator

import msgspec
import pytest
from django.test import Client

from accounts.models import User
from tables.models import Change, Round
from tables.operators.floor.command_text import SENTENCES, format_command
from tables.protocol import commands
from tables.protocol.commands import Bet, BetBehind, Close, Command, DecideAhead, HandOn, Sit
from tests.helpers.table_client import TableClient

ID = uuid.UUID(int=7)


def concrete(base: type[Command]) -> Iterator[type[Command]]:
    for command in base.__subclasses__():
        if command in typing.get_args(commands.AnyCommand):
            yield command
        yield from concrete(command)


def text(command: Command) -> str:
    return format_command(msgspec.json.encode(command).decode())


def test_each_command_has_a_sentence_and_each_sentence_a_command() -> None:
    names = {str(command.__struct_config__.tag) for command in concrete(Command)}
    assert len(names) > 30
    assert {key.partition("/")[0] for key in SENTENCES} == names


def test_its_values_are_in_it() -> None:
    assert text(Sit(ID, 2)) == "take seat 2"
    assert text(Bet(ID, 1, 1250)) == "bet 12.50"
    assert text(Bet(ID, 1, 0)) == "be in"
    assert text(BetBehind(ID, 3, 1, 500)) == "bet 5 behind seat 3"
    assert text(DecideAhead(ID, 1, None)) == "take the plan back"
    assert "ben" in text(HandOn(ID, "ben"))
    assert text(Close(ID)) == "close the table"
    assert format_command("") == ""
    assert format_command('{"t":"fly_away","id":"7"}') == "fly away"


@pytest.mark.django_db
def test_the_round_and_its_changes_are_sentences_with_cards(
    client: Client, operator: Callable[..., User], casino: TableClient, ann: User,
    stack: Callable[..., None],
) -> None:  # fmt: skip
    casino.sit(ann, 1)
    stack("As 9h Kd 7c")
    casino.bet(ann, 1000)
    client.force_login(operator("manager"))
    page = client.get(f"/admin/rounds/{Round.objects.get().pk}/").content.decode()
    visible_text = re.sub(r"<details>.*?</details>", "", page, flags=re.DOTALL)
    assert "bet 10" in visible_text
    assert "Seat 1 gets A♠." in visible_text
    assert '{"t"' not in visible_text
    assert "A♠ K♦" in visible_text
    assert "bet_placed seat=1 stake=1000" in page  # as it was published, for who asks for it
    for change in Change.objects.all():
        page = client.get(f"/admin/tables/change/{change.pk}/change/").content.decode()
        assert "{&quot;" not in page
    assert (
        "A♠ K♦"
        in client.get(f"/admin/tables/round/{Round.objects.get().pk}/change/").content.decode()
    )
