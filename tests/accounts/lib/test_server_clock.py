"""The time by which the house plays goes on steadily, and says when its clock was set."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest
from django.db import connection
from django.utils import timezone

from accounts.lib import server_clock

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    server_clock.reset()
    yield
    server_clock.reset()


def set_clock(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """As if somebody had set this machine's clock."""
    true_now = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: true_now() + dt.timedelta(seconds=seconds))


def apart(one: dt.datetime, other: dt.datetime) -> float:
    return abs((one - other).total_seconds())


def test_it_is_what_the_clock_says() -> None:
    assert apart(server_clock.now(), timezone.now()) < 1
    assert server_clock.measure() == 0
    assert apart(server_clock.now(), timezone.now()) < 1


@pytest.mark.parametrize("seconds", [3600, -3600])
def test_a_clock_that_is_set_is_followed_when_it_is_looked_at_and_not_before(
    monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    """With PostgreSQL it is not followed at all: there, nobody looks at this machine's clock."""
    is_followed = connection.vendor == "sqlite"
    server_clock.measure()
    before = server_clock.now()
    set_clock(monkeypatch, seconds)
    assert apart(server_clock.now(), before) < 1
    assert server_clock.measure() == pytest.approx(seconds if is_followed else 0, abs=1)
    assert apart(server_clock.now(), timezone.now() if is_followed else before) < 1
    assert server_clock.measure() == pytest.approx(0, abs=1)


def test_a_look_that_takes_long_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    server_clock.measure()
    before = server_clock.now()
    monkeypatch.setattr(server_clock, "LONGEST_LOOK", -1)
    set_clock(monkeypatch, 3600)
    assert server_clock.measure() == 0
    assert apart(server_clock.now(), before) < 1
