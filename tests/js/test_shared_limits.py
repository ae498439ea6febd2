"""Limits of the server that scripts have as well, to say or to show them before it refuses."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import pytest

from tables.game import seats
from tables.models import ChatLine
from tables.protocol.frames import CloseCode
from tables.state import behind, sitting_out, waiting_line
from tests.helpers.servers.process import ROOT

SECOND, MILLISECOND = dt.timedelta(seconds=1), dt.timedelta(milliseconds=1)
LIMITS = (
    ("hud/hud.js", "OFFER_CLOCK", waiting_line.OFFER / SECOND),
    ("hud/status_line.js", "MOST_ROUNDS_OUT", sitting_out.MOST_ROUNDS),
    ("board/away_countdown.js", "HELD_FOR", seats.ABSENCE / MILLISECOND),
    ("model/table_model.js", "MOST_BACKERS", behind.MOST_BACKERS),
    ("model/table_model.js", "MOST_IN_LINE", seats.MOST_IN_LINE),
    ("text/seat_lost.js", "BARRED_FOR", seats.REMOVAL / MILLISECOND),
    ("social/chat_form.js", "MOST", ChatLine._meta.get_field("text").max_length),
    ("net/reconnecting_socket.js", "SESSION_ENDED", CloseCode.SESSION_ENDED),
    ("net/reconnecting_socket.js", "NO_SUCH_TABLE", CloseCode.NO_SUCH_TABLE),
    ("net/reconnecting_socket.js", "TOO_MANY_PAGES", CloseCode.TOO_MANY_PAGES),
)


@pytest.mark.parametrize(("script", "name", "limit"), LIMITS, ids=lambda value: str(value))
def test_a_script_has_the_limit_of_the_server(script: str, name: str, limit: Any) -> None:
    source = (ROOT / "static/js" / script).read_text()
    (value,) = re.findall(rf"^const {name} = ([\d_]+);$", source, re.MULTILINE)
    assert int(value.replace("_", "")) == limit
