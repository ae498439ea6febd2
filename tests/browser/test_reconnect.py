"""The line is lost and comes back: the page says so quietly, and shows the true table."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, WebSocketRoute, expect

from tables.protocol import change_body
from tests.browser.players import LONG, PHONE, Evening, Person
from tests.helpers.flaky_line import Wire, wire_to
from tests.helpers.servers.process import serving

CASINO = "Casino table"


@dataclass
class OnTheWire:
    """An evening whose first guest sits at the end of a wire of her own."""

    evening: Evening
    wire: Wire


@pytest_asyncio.fixture(loop_scope="session")
async def line(browser: Browser, tmp_path: Path, prepared: Path) -> AsyncIterator[OnTheWire]:
    with serving(tmp_path, prepared, has_relay=True) as server:
        async with wire_to(server.port, urlsplit(server.url).port or 0) as wire:
            evening = Evening(browser, server)
            yield OnTheWire(evening, wire)
            complaints = [c for person in evening.people for c in person.complaints]
            # What a browser says of a line that is down is not ours.
            assert [c for c in complaints if "net::ERR" not in c] == []


async def begin(line: OnTheWire, between: Callable[[WebSocketRoute], None] | None = None) -> Person:
    """Ann sits with a hand of two eights to decide about; her table's frames pass ``between``."""
    line.evening.server.stack("8s 6h 8d Kc 2c 3d 9s Th")
    ann = await line.evening.player("ann", PHONE)
    if between:
        await ann.page.route_web_socket(re.compile("/ws/tables/"), between)
    await ann.sit(CASINO, 1)
    await ann.bet(10)
    await ann.sees_status("Your turn")
    await expect(ann.page.locator("button[data-action='hit']")).to_be_enabled()
    return ann


async def hits_of_ann(line: OnTheWire) -> int:
    with closing(sqlite3.connect(line.evening.server.data / "db.sqlite3")) as database, database:
        bodies = database.execute("SELECT body FROM tables_change")
        commands = [change_body.decode(body, None)[0] for (body,) in bodies]
        return sum('"t":"hit"' in command for command in commands)


@pytest.mark.long(seconds=15)
async def test_wifi_that_is_silent_for_ten_seconds_costs_nothing(line: OnTheWire) -> None:
    ann = await begin(line)
    line.wire.freeze()
    await ann.act("hit")
    await expect(ann.page.locator("#connection")).to_contain_text(
        "Waiting for the server", timeout=8_000
    )
    await asyncio.sleep(10)
    assert await ann.cards_of(1) == [["8s", "8d"]]
    line.wire.mend()
    await expect(ann.page.locator("#connection")).to_have_text("", timeout=LONG)
    await expect(ann.page.locator("li.seat.is-mine .card")).to_have_count(3)
    assert await ann.cards_of(1) == [["8s", "8d", "2c"]]
    assert await hits_of_ann(line) == 1
    await ann.act("stand")
    await ann.sees_status("You lose 10")


async def test_a_line_that_is_cut_comes_back_and_what_was_decided_happens_once(
    line: OnTheWire,
) -> None:
    ann = await begin(line)
    line.wire.cut()
    await expect(ann.page.locator("#connection")).to_contain_text("Connection lost")
    await ann.act("hit")
    await expect(ann.page.locator("#connection")).to_contain_text(
        "“Hit” is sent if you're back in time."
    )
    await ann.page.locator("button[data-action='hit']").click(force=True)
    await asyncio.sleep(2)  # in which it has tried again
    await expect(ann.page.locator("#connection")).to_contain_text("is sent if you're back")
    line.wire.mend()
    await expect(ann.page.locator("#connection")).to_have_text("", timeout=LONG)
    await expect(ann.page.locator("li.seat.is-mine .card")).to_have_count(3)
    assert await ann.cards_of(1) == [["8s", "8d", "2c"]]
    assert await hits_of_ann(line) == 1


@pytest.mark.long(seconds=15)
async def test_a_choice_without_a_line_is_not_played_when_the_turn_is_over(
    line: OnTheWire,
) -> None:
    ann = await begin(line)
    line.wire.cut()
    await expect(ann.page.locator("#connection")).to_contain_text("Connection lost")
    await ann.act("hit")
    with closing(sqlite3.connect(line.evening.server.data / "db.sqlite3")) as database, database:
        database.execute("UPDATE tables_table SET deadline_at = datetime('now', '+1 second')")
    await asyncio.sleep(3)  # The hand stands; with nobody at the table the dealer plays.
    line.wire.mend()
    await expect(ann.page.locator("#connection")).to_have_text("", timeout=LONG)
    await ann.sees_status("You lose 10")
    assert await ann.cards_of(1) == [["8s", "8d"]]
    assert await hits_of_ann(line) == 0


@pytest.mark.long(seconds=15)
async def test_case_57_a_page_keeps_its_line_while_the_database_is_locked(line: OnTheWire) -> None:
    """Heartbeats come, so it waits for the answer, and does not take the line for dead."""
    ann = await begin(line)
    with closing(sqlite3.connect(line.evening.server.data / "db.sqlite3")) as lock:
        lock.execute("BEGIN IMMEDIATE")
        await ann.act("hit")
        await expect(ann.page.locator("#connection")).to_contain_text(
            "Waiting for the server", timeout=8_000
        )
        await asyncio.sleep(7)  # by then a page that heard nothing has given its line up
        await expect(ann.page.locator("#connection")).to_contain_text("Waiting for the server")
        lock.execute("COMMIT")
    await expect(ann.page.locator("#connection")).to_have_text("", timeout=LONG)
    await expect(ann.page.locator("li.seat.is-mine .card")).to_have_count(3)
    assert await hits_of_ann(line) == 1


@pytest.mark.long
async def test_an_answer_that_was_lost_on_the_way_is_asked_for_again(line: OnTheWire) -> None:
    """The hit is played, its answer is not heard: it must not be played a second time."""
    is_heard = True

    def between(page: WebSocketRoute) -> None:
        server = page.connect_to_server()
        server.on_message(lambda message: page.send(message) if is_heard else None)

    ann = await begin(line, between)
    is_heard = False
    await ann.act("hit")
    until = time.monotonic() + 20
    while not await hits_of_ann(line) and time.monotonic() < until:
        await asyncio.sleep(0.05)
    assert await hits_of_ann(line) == 1
    line.wire.cut()  # the answer dies with it
    await expect(ann.page.locator("#connection")).to_contain_text("Connection lost")
    assert await ann.cards_of(1) == [["8s", "8d"]]
    is_heard = True
    line.wire.mend()
    await expect(ann.page.locator("#connection")).to_have_text("", timeout=LONG)
    await expect(ann.page.locator("li.seat.is-mine .card")).to_have_count(3)
    await asyncio.sleep(1)
    assert await hits_of_ann(line) == 1
    await ann.act("stand")
    await ann.sees_status("You lose 10")


@pytest.mark.long
async def test_a_laptop_that_slept_for_an_hour_shows_the_true_table(line: OnTheWire) -> None:
    line.evening.server.stack("8s Ts 6h 8d 9d Kc 2c Th")
    line.evening.can_stop_time = True
    ann = await line.evening.player("ann", PHONE)
    line.evening.can_stop_time = False
    ben = await line.evening.player("ben")
    await ann.sit(CASINO, 1)
    await ben.sit(CASINO, 2)
    await ann.bet(10)
    await ben.bet(10)
    await ann.sees_status("Your turn")
    with closing(sqlite3.connect(line.evening.server.data / "db.sqlite3")) as database, database:
        database.execute("UPDATE tables_table SET deadline_at = datetime('now', '+1 second')")
    line.wire.cut()  # ben is on the same wire: he comes back at once, she sleeps
    await ann.stop_time()
    line.wire.mend()
    await expect(ben.page.locator("#connection")).to_have_text("", timeout=LONG)
    await ben.sees_status("Your turn")
    await ben.act("stand")
    await ben.sees_status("You win")
    await ann.page.clock.fast_forward(3600_000)
    await ann.let_time_go_on()
    await expect(ann.page.locator("#connection")).to_have_text("", timeout=LONG)
    assert await ann.cards_of(1) == [["8s", "8d"]]
    assert await ann.cards_of(2) == [["Ts", "9d"]]
    assert await ann.dealer_cards() == ["6h", "Kc", "2c"]
    await expect(ann.page.locator("li.seat.is-mine .outcome")).to_have_text("Lost −10")


async def test_a_restart_is_said_quietly_and_over_by_itself(line: OnTheWire) -> None:
    ann = await begin(line)
    line.evening.server.stop(signal.SIGTERM)
    await expect(ann.page.locator("#connection")).to_contain_text("Connection lost")
    await expect(ann.page.locator("#error-line")).to_have_text("")
    line.evening.server.start()
    await expect(ann.page.locator("#connection")).to_have_text("", timeout=LONG)
    await expect(ann.page.locator("#said")).to_have_text("You are connected again.")
    await expect(ann.log).not_to_contain_text("While you were away:")
    await ann.sees_status("Your turn")
    await ann.act("hit")
    await expect(ann.page.locator("li.seat.is-mine .card")).to_have_count(3)


@pytest.mark.long
async def test_a_snapshot_that_was_overtaken_does_not_turn_the_table_back(
    line: OnTheWire,
) -> None:
    """Another process tells of a change sooner than this one shows what it had read before; and
    of a further one before the next snapshot, too.
    """
    ann = await line.evening.player("ann", PHONE)
    pages: list[WebSocketRoute] = []
    frames: list[str | bytes] = []
    requests: list[str | bytes] = []

    def between(page: WebSocketRoute) -> None:
        server = page.connect_to_server()

        def down(message: str | bytes) -> None:
            frames.append(message)
            if not (requests and '"t":"snapshot"' in str(message)):  # the test answers itself
                page.send(message)

        def up(message: str | bytes) -> None:
            requests.append(message)
            server.send(message)

        server.on_message(down)
        page.on_message(up)
        pages.append(page)

    await ann.page.route_web_socket(re.compile("/ws/tables/"), between)
    line.evening.server.stack("8s 6h 8d Kc 2c 3d 9s Th")
    await ann.sit(CASINO, 1)
    await ann.bet(10)
    await ann.sees_status("Your turn")
    requests.clear()
    overtaken = next(frame for frame in frames if '"t":"snapshot"' in str(frame))
    pages[-1].send(overtaken)
    await ann.page.wait_for_function("() => true")
    assert await ann.cards_of(1) == [["8s", "8d"]]
    await ann.act("stand")
    await ann.sees_status("You lose 10")
    pages[-1].send(overtaken)
    await ann.page.wait_for_timeout(300)
    await ann.sees_status("You lose 10")
    kinds = [json.loads(message)["t"] for message in requests]
    assert (kinds[0], kinds.count("resync")) == ("resync", 2)


@pytest.mark.long
@pytest.mark.parametrize("is_lost", [False, True])
async def test_changes_that_cross_on_their_ways_are_all_shown_and_a_lost_one_is_asked_for(
    line: OnTheWire, *, is_lost: bool
) -> None:
    """Two bet at the same moment at two processes: somebody hears of the later bet, and of the
    cards that follow it, before the bet before it; and by a heartbeat before both.
    """
    requests: list[str | bytes] = []
    late_bets: list[str | bytes] = []
    epoch: list[str] = []
    is_connected, have_crossed = asyncio.Event(), asyncio.Event()

    def between(page: WebSocketRoute) -> None:
        server = page.connect_to_server()

        def down(message: str | bytes) -> None:
            frame = json.loads(message)
            if {"type": "bet_placed", "seat": 1, "stake": 1000} in frame.get("events", ()):
                late_bets.append(message)
            elif late_bets and frame["t"] == "heartbeat":
                pass  # it would tell what is missing
            elif late_bets and frame["t"] == "changed" and not is_lost:
                beat = {"t": "heartbeat", "epoch": epoch[0], "seq": frame["seq"]}
                page.send(json.dumps({**beat, "now": frame["now"]}))
                page.send(message)
                page.send(late_bets.pop())
                have_crossed.set()
            else:
                page.send(message)
            if frame["t"] == "snapshot":
                epoch.append(frame["epoch"])
                is_connected.set()

        def up(message: str | bytes) -> None:
            requests.append(message)
            server.send(message)

        server.on_message(down)
        page.on_message(up)

    line.evening.server.stack("Ts 9s 6h 9d 8d Kc Th")
    ann, ben = [await line.evening.player(name, PHONE) for name in ("ann", "ben")]
    line.evening.can_stop_time = True
    watcher = await line.evening.player("cleo", PHONE)
    await ann.sit(CASINO, 1)
    await ben.sit(CASINO, 2)
    await watcher.page.route_web_socket(re.compile("/ws/tables/"), between)
    await watcher.page.goto(ann.page.url)
    await expect(watcher.seat(2)).to_contain_text("ben")
    await asyncio.wait_for(is_connected.wait(), 20)
    await watcher.stop_time()  # A busy machine must not take a change that crosses for a lost one.
    await ann.bet(10)
    await expect(ben.seat(1)).to_contain_text("10")
    await ben.bet(10)
    if not is_lost:
        await asyncio.wait_for(have_crossed.wait(), 20)
        await watcher.page.evaluate("0")  # By now it has all that was sent before this.
    await watcher.let_time_go_on()
    await watcher.sees_status("ann")
    if is_lost:
        await expect(watcher.seat(1)).to_contain_text("19")
        assert requests == ['{"t":"resync","seq":2}']
        return
    for sentence in ("ann bets 10", "ben bets 10", "The dealer takes the six of hearts"):
        await expect(watcher.log).to_contain_text(sentence)
    await asyncio.sleep(0.5)
    assert requests == []


async def test_a_balance_that_was_overtaken_is_not_shown(line: OnTheWire) -> None:
    """Another process may tell of a win sooner than this one of the stake before it."""
    pages: list[WebSocketRoute] = []

    def between(page: WebSocketRoute) -> None:
        page.connect_to_server()
        pages.append(page)

    def tell(balance: int, seq: int) -> None:
        pages[-1].send(json.dumps({"t": "wallet", "balance": balance, "seq": seq}))

    ann = await begin(line, between)
    await ann.sees_balance("490")  # her wallet's second change, after the grant
    tell(51_000, 4)
    await ann.sees_balance("510")
    tell(49_500, 3)
    tell(51_100, 5)
    await ann.sees_balance("511")
    tell(49_500, 4)
    await ann.act("stand")  # the house's own third change is older than what was told
    await ann.sees_status("You lose 10")
    await ann.sees_balance("511")


@pytest.mark.long(seconds=10)
async def test_friends_see_who_is_coming_back(line: OnTheWire) -> None:
    ann = await begin(line)
    ben = await line.evening.person("ben")
    await ben.page.goto(f"{ben.url}/tables/1/")
    seat = ben.page.locator("li.seat[data-seat='1']")
    await expect(seat).to_contain_text("ann")
    await ann.page.goto("about:blank")
    await expect(seat).to_contain_text("reconnecting", timeout=30_000)
    await ann.page.goto(f"{ann.url}/tables/1/")
    await expect(seat).not_to_contain_text("reconnecting", timeout=30_000)


@pytest.mark.long
async def test_the_log_of_a_page_that_was_away_has_what_happened_meanwhile(
    evening: Evening,
) -> None:
    evening.server.stack("Ts 9s 6h 9d 8d Kc 5h", "Th 6c 9h Tc 7c", "9c 6d 8c Td")
    ann, ben = await evening.at_table(CASINO, PHONE, PHONE)
    for person in (ann, ben):
        await person.bet(10)
    await ann.act("stand")
    await ben.sees_status("Your turn")
    await ann.page.context.set_offline(True)
    await expect(ann.page.locator("#connection")).to_contain_text("Connection lost")
    await ben.act("stand")
    await ben.sees_status("You lose 10")
    await ben.bet(25)
    await ben.sees_status("Waiting for ann")
    await ann.page.context.set_offline(False)
    await expect(ann.log).to_contain_text("ben bets 25")
    lines = await ann.log.locator("p").all_text_contents()
    assert lines[lines.index("While you were away:") - 1 :] == [
        "You stand on 19.",
        "While you were away:",
        "ben stands on 17.",
        "The dealer turns over the king of clubs: 16.",
        "The dealer takes the five of hearts: 21.",
        "You lose 10 with 19 against the dealer's 21.",
        "ben loses 10.",
        "The secret of shoe 1 is revealed: check it (in a new tab).",
        "Round 2",
        "ben bets 25.",
    ]

    # A whole round is played, and the next one dealt: its cards are not added to the others.
    await ann.press("g")
    await ben.sees_status("Your turn")
    await ann.page.context.set_offline(True)
    await ben.act("stand")
    await ben.sees_status("You win 25")
    await ben.bet(10)
    await ben.sees_status("Your turn")
    await ann.page.context.set_offline(False)
    await expect(ann.log).to_contain_text("Round 3")
    lines = await ann.log.locator("p").all_text_contents()
    round_lines = lines[lines.index("Round 3") :]
    assert round_lines[1] == "ben bets 10."
    assert "ben gets the nine of clubs: 9." in round_lines
    assert "ben gets the eight of clubs: 17." in round_lines


@pytest.mark.long
async def test_a_page_that_is_opened_in_a_round_has_it_in_its_log(evening: Evening) -> None:
    evening.server.stack("Ts 9s 6h 9d 8d Kc 5h")
    ann, ben = await evening.at_table(CASINO, (1280, 800), (1280, 800))
    for person in (ann, ben):
        await person.bet(10)
    await ann.act("stand")
    await ben.sees_status("Your turn")
    lines = await ben.log.locator("p").all_text_contents()
    before = lines[lines.index("Round 1") :]
    assert "ann gets the nine of diamonds: 19." in before
    await ben.page.reload()
    await ben.sees_status("Your turn")
    assert await ben.log.locator("p").all_text_contents() == before
    # It is there to be looked up, and not read out.
    await expect(ben.log).to_have_attribute("aria-live", "polite")
    await expect(ben.page.locator("#short-log")).to_have_text("")
    await ben.act("stand")
    await ben.sees_status("You lose 10")
    await expect(ben.log).to_contain_text("You lose 10 with 17 against the dealer's 21.")
    # The log has the name of a player who left the table.
    await ann.button("Leave").click()
    await expect(ben.seat(1)).not_to_contain_text("ann")
    await ben.page.reload()
    await expect(ben.log).to_contain_text("ann gets the nine of diamonds: 19.")
    await expect(ben.log).to_contain_text("ann leaves")
    await expect(ben.log).not_to_contain_text("An empty seat")
