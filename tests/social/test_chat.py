"""People talk at a table: plain lines, not too many, and somebody keeps order."""

from __future__ import annotations

import datetime as dt
import uuid

import pytest

from accounts.models import User
from tables import access
from tables.models import ChatLine
from tables.protocol.commands import ChatCommand, Say, Silence, Unsay
from tables.protocol.frames import Done, Err, Muted, Said, Unsaid
from tables.protocol.topics import table_topic
from tables.social import chat
from tables.state.effects import Effects
from tests.game.test_host_commands import chat as switch_chat
from tests.game.test_host_commands import close, made_by, operator
from tests.helpers.table_client import TableClient, fingerprint

pytestmark = pytest.mark.django_db

__all__ = ["operator"]


@pytest.fixture
def anns(ann: User) -> TableClient:
    return made_by(ann)


def do(at: TableClient, user: User, command: ChatCommand) -> Effects[Done | Err]:
    return chat.execute(at.table_id, user.pk, command, at.now)


def say(
    at: TableClient, user: User, text: str, command_id: uuid.UUID | None = None
) -> Effects[Done | Err]:
    return do(at, user, Say(command_id or uuid.uuid4(), text))


def silence(at: TableClient, user: User, player: str, *, on: bool = True) -> Effects[Done | Err]:
    return do(at, user, Silence(uuid.uuid4(), player, on))


def unsay(at: TableClient, user: User, line: int) -> Effects[Done | Err]:
    return do(at, user, Unsay(uuid.uuid4(), line))


def code(talked: Effects[Done | Err]) -> str:
    return talked.value.code if isinstance(talked.value, Err) else "done"


def get_frame(talked: Effects[Done | Err]) -> Said:
    ((_topic, frame),) = talked.frames
    assert isinstance(frame, Said)
    return frame


def list_lines(at: TableClient) -> list[tuple[str, str]]:
    return [(line.player, line.text) for line in chat.list_last_lines(at.row)]


def test_a_line_is_told_to_everybody_and_kept_for_who_arrives(
    anns: TableClient, ann: User, dora: User
) -> None:
    first = get_frame(say(anns, dora, "Good evening!"))
    assert (first.line.player, first.line.text, first.before) == ("dora", "Good evening!", 0)
    second = get_frame(say(anns, ann, "Hello dora."))
    assert second.before == first.line.line
    assert list_lines(anns) == [("dora", "Good evening!"), ("ann", "Hello dora.")]


def test_who_arrives_hears_the_last_fifty_lines(anns: TableClient, ann: User) -> None:
    for number in range(60):
        anns.later(3)
        assert code(say(anns, ann, f"line {number}")) == "done"
    assert [text for _, text in list_lines(anns)] == [f"line {number}" for number in range(10, 60)]


def test_talk_changes_nothing_at_the_table(anns: TableClient, ann: User) -> None:
    before = fingerprint(anns)
    say(anns, ann, "hit me")
    assert fingerprint(anns) == before


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("  well   played  ", "well played"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("two\nlines\u2028or three\r\n", "two lines or three"),
        ("\u202egnihton", "gnihton"),
        ("nul\x00l \x1b[31mred", "null [31mred"),
        ("e\u0301", "é"),
        ("Z\u0334\u0335\u0336\u0337\u0338alg\u0334o", "Z\u0334\u0335\u0336alg\u0334o"),
        ("👨\u200d👩\u200d👧 family", "👨\u200d👩\u200d👧 family"),
        ("half \ud800 a pair", "half  a pair"),
        ("https://example.com", "https://example.com"),
    ],
)
def test_a_line_is_plain_text(anns: TableClient, ann: User, typed: str, expected: str) -> None:
    assert get_frame(say(anns, ann, typed)).line.text == expected


@pytest.mark.parametrize("typed", ["", "   ", "\n", "\u200d\u200d", "\u202e", "x" * 201, "\x00"])
def test_it_refuses_nothing_and_too_much(anns: TableClient, ann: User, typed: str) -> None:
    assert code(say(anns, ann, typed)) == "bad_text"
    assert not ChatLine.objects.exists()


def test_two_hundred_characters_are_not_too_much(anns: TableClient, ann: User) -> None:
    assert code(say(anns, ann, "ö" * 200)) == "done"


def test_a_line_that_is_sent_again_is_said_once(anns: TableClient, ann: User) -> None:
    command_id = uuid.uuid4()
    first = say(anns, ann, "once", command_id)
    again = say(anns, ann, "once", command_id)
    assert again.value == first.value
    assert again.frames == ()
    assert list_lines(anns) == [("ann", "once")]
    assert code(say(anns, ann, "twice", command_id)) == "id_reused"


def test_five_lines_in_ten_seconds_are_enough(anns: TableClient, ann: User, ben: User) -> None:
    for number in range(5):
        assert code(say(anns, ann, f"line {number}")) == "done"
    assert code(say(anns, ann, "and more")) == "too_fast"
    assert code(say(made_by(ben), ann, "elsewhere")) == "too_fast"
    assert code(say(anns, ben, "another person")) == "done"
    anns.later(10)
    assert code(say(anns, ann, "later")) == "done"


def test_a_line_can_be_removed_by_who_said_it_and_by_who_runs_the_table(
    anns: TableClient, ann: User, ben: User, dora: User
) -> None:
    lines = [get_frame(say(anns, ben, text)).line.line for text in ("one", "two", "three")]
    topic = table_topic(anns.table_id)
    assert unsay(anns, ben, lines[0]).frames == ((topic, Unsaid(lines[0])),)
    assert unsay(anns, ann, lines[1]).frames == ((topic, Unsaid(lines[1])),)
    assert unsay(anns, ann, lines[1]).frames == ()
    assert code(unsay(anns, dora, lines[2])) == "no_such_line"
    assert list_lines(anns) == [("ben", "three")]
    assert get_frame(say(anns, ben, "four")).before == lines[2]
    assert ChatLine.objects.get(pk=lines[1]).removed_by == ann


def test_a_line_of_another_table_is_none_of_this_one(
    anns: TableClient, ann: User, ben: User
) -> None:
    line = get_frame(say(made_by(ben), ben, "elsewhere")).line.line
    assert code(unsay(anns, ann, line)) == "no_such_line"


def test_somebody_is_silenced_and_may_talk_again(anns: TableClient, ann: User, ben: User) -> None:
    assert code(silence(anns, ann, "ben")) == "done"
    assert code(silence(anns, ann, "ben")) == "done"
    assert chat.list_silenced(anns.row) == ("ben",)
    assert code(say(anns, ben, "let me")) == "silenced"
    assert code(say(made_by(ben), ben, "here I may")) == "done"
    silence(anns, ann, "ben", on=False)
    assert code(say(anns, ben, "thank you")) == "done"


def test_not_everybody_can_silence_and_be_silenced(
    anns: TableClient, ann: User, ben: User, operator: User
) -> None:
    assert code(silence(anns, ben, "ann")) == "not_maker"
    for name in ("ann", "olga", "nobody"):
        assert code(silence(anns, ann, name)) == "no_such_player"
    assert code(silence(anns, operator, "ben")) == "done"


def test_nobody_talks_while_the_chat_is_off(anns: TableClient, ann: User) -> None:
    anns.send(ann, switch_chat(on=False))
    assert code(say(anns, ann, "hello?")) == "chat_off"
    anns.send(ann, switch_chat(on=True))
    assert code(say(anns, ann, "hello!")) == "done"


def test_who_may_not_see_the_table_does_not_talk_there(ann: User, dora: User) -> None:
    table = made_by(ann, is_private=True)
    assert code(say(table, dora, "hello?")) == "table_closed"
    access.grant_access(table.row, dora.pk)
    assert code(say(table, dora, "hello!")) == "done"
    table.send(ann, close())
    assert code(say(table, ann, "good night")) == "table_closed"


def test_who_was_switched_off_does_not_talk(anns: TableClient, dora: User) -> None:
    dora.is_active = False
    dora.save()
    assert code(say(anns, dora, "hello?")) == "not_allowed"


def test_the_time_of_a_line_is_the_servers(anns: TableClient, ann: User) -> None:
    at = get_frame(say(anns, ann, "now")).line.at
    assert (
        dt.datetime.fromtimestamp(at / 1000, dt.UTC)
        == anns.now.replace(microsecond=anns.now.microsecond // 1000 * 1000)
        or abs(at - anns.now.timestamp() * 1000) < 1
    )


def test_all_at_the_table_hear_who_was_muted_and_by_whom_and_once(
    anns: TableClient, ann: User, ben: User, operator: User
) -> None:
    topic = table_topic(anns.table_id)
    assert silence(anns, ann, "ben").frames == ((topic, Muted("ben", on=True, host=True)),)
    assert silence(anns, ann, "ben").frames == ()
    assert silence(anns, operator, "ben", on=False).frames == (
        (topic, Muted("ben", on=False, host=False)),
    )
    assert silence(anns, ben, "ann").frames == ()
