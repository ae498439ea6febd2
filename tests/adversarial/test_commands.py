"""Commands over real sockets: sent again, at the same moment, too late, and by who is gone."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.adversarial.players import OPEN_TABLES, Company, House, until
from tests.helpers.servers.process import serving
from tests.helpers.socket_player import SocketPlayer

pytestmark = pytest.mark.asyncio(loop_scope="module")

BANKROLL = 50_000
GRACE_MS = 750
SESSION_ENDED = 4401


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, prepared: Path) -> Iterator[House]:
    """One for all of these tests."""
    with serving(tmp_path_factory.mktemp("commands"), prepared) as server:
        opened = server.manage("shell", "--no-imports", "-c", OPEN_TABLES)
        assert opened.returncode == 0, opened.stderr
        yield House(server, [int(line) for line in opened.stdout.split()])
        assert "Traceback" not in server.log.read_text()
        audit = server.manage("audit")
        assert audit.returncode == 0, audit.stderr


@pytest_asyncio.fixture(loop_scope="module")
async def company(house: House) -> AsyncIterator[Company]:
    opened = Company(house)
    yield opened
    for page in opened.pages:
        await page.close()


async def say(player: SocketPlayer, **command: Any) -> None:
    """Send a command and wait for nothing."""
    await player.socket.send(json.dumps(command))


async def answer_to(player: SocketPlayer, command_id: str) -> dict[str, Any]:
    while (frame := await player.frame()).get("id") != command_id:
        pass
    return frame


# The same again


async def test_case_13_a_command_that_comes_five_times_is_done_once_and_answered_alike(
    company: Company,
) -> None:
    ann, _ben = await company.seated(1), await company.seated(2)
    other_tab = await company.tab(ann)
    bet = {"t": "bet", "id": str(uuid.uuid4()), "turn": ann.table["turn"], "stake": 1000}
    answers = []
    for page in (ann, ann, other_tab):
        await say(page, **bet)
        answers.append(await answer_to(page, bet["id"]))
    await ann.socket.close()
    await ann.open(company.table)
    for page in (ann, other_tab):
        await say(page, **bet)
        answers.append(await answer_to(page, bet["id"]))
    assert answers[0]["t"] == "done"
    assert answers == [answers[0]] * 5
    assert (company.wallet(ann), company.pot()) == (BANKROLL - 1000, 1000)
    placed = "SELECT id FROM tables_change WHERE command_id = ?"
    assert len(company.ask(placed, uuid.UUID(bet["id"]).hex)) == 1


# At the same moment


async def test_case_15_two_tabs_that_hit_at_the_same_moment_take_one_card(company: Company) -> None:
    company.stack("2s 6h 3d Kc 4h 5h 6d 7d 8d 9d")
    ann = await company.seated(1)
    other_tab = await company.tab(ann)
    await ann.decide("bet", stake=1000)
    await other_tab.until(ann.seq)
    hits = [{"t": "hit", "id": str(uuid.uuid4()), "turn": ann.table["turn"]} for _ in range(2)]
    await asyncio.gather(say(ann, **hits[0]), say(other_tab, **hits[1]))
    answers = [
        await answer_to(page, hit["id"]) for page, hit in zip((ann, other_tab), hits, strict=True)
    ]
    assert sorted(answer["t"] for answer in answers) == ["done", "err"]
    assert {answer.get("code") for answer in answers} == {None, "stale_turn"}
    await ann.until(max(answer["seq"] for answer in answers))
    assert ann.table["seats"][0]["hands"][0]["cards"] == ["2s", "3d", "4h"]


async def test_case_18_everything_is_bet_from_five_sockets_at_once_and_lies_there_once(
    company: Company,
) -> None:
    """A bet takes the place of the one before: so all of them are taken, one after the other."""
    ann, _ben = await company.seated(1), await company.seated(2)
    tabs = [ann, *[await company.tab(ann) for _ in range(4)]]
    turn = ann.table["turn"]
    bets = [(tab, str(uuid.uuid4())) for tab in tabs * 3]
    await asyncio.gather(
        *(say(tab, t="bet", id=command, turn=turn, stake=BANKROLL) for tab, command in bets)
    )
    answers = [await answer_to(tab, command) for tab, command in bets]
    assert {answer["t"] for answer in answers} == {"done"}
    assert (company.wallet(ann), company.pot()) == (0, BANKROLL)


async def test_case_19_everything_is_bet_at_three_tables_at_once_and_lies_on_one(
    company: Company,
) -> None:
    ann, ben = await company.come(), await company.come()
    tables = [company.table, company.fresh.pop(), company.fresh.pop()]
    pages: list[SocketPlayer] = []
    for table in tables:
        for player, seat in ((ann, 1), (ben, 2)):
            page = await company.tab(player, table)
            assert (await page.send(t="sit", seat=seat))["t"] == "done"
            if player is ann:
                pages.append(page)
    commands = [str(uuid.uuid4()) for _ in pages]
    turns = [page.table["turn"] for page in pages]
    await asyncio.gather(
        *(
            say(page, t="bet", id=command, turn=turn, stake=BANKROLL)
            for page, command, turn in zip(pages, commands, turns, strict=True)
        )
    )
    answers = [await answer_to(page, c) for page, c in zip(pages, commands, strict=True)]
    codes = Counter(answer.get("code", "done") for answer in answers)
    assert codes == {"done": 1, "cannot_afford": 2}
    assert company.wallet(ann) == 0
    assert company.pot(*tables) == BANKROLL


# Who is gone


@pytest.fixture
def two_good_hands(company: Company) -> None:
    """20 for seat 1, 19 for seat 2, and a dealer who busts."""
    company.stack("Ts Td 6h Ks 9d Kc 9c")


async def test_case_21_who_leaves_in_mid_hand_is_paid_and_gives_the_seat_back_then(
    company: Company, two_good_hands: None
) -> None:
    ann, ben = await company.seated(1), await company.seated(2)
    await ann.decide("bet", stake=1000)
    await ben.until(ann.seq)
    await ben.decide("bet", stake=2000)
    assert (await ben.send(t="leave"))["t"] == "done"
    await ben.socket.close()
    assert company.seats() == 2
    assert (company.wallet(ben), company.pot()) == (BANKROLL - 2000, 3000)
    await ann.until(ben.seq)
    await ann.decide("stand")
    await until(lambda: company.seats() == 1)
    assert (company.wallet(ann), company.wallet(ben)) == (BANKROLL + 1000, BANKROLL + 2000)
    assert company.pot() == 0


@pytest.mark.long
async def test_case_21_who_logs_out_in_mid_hand_is_paid_when_the_clock_has_played_for_them(
    company: Company, two_good_hands: None
) -> None:
    ann, ben = await company.seated(1), await company.seated(2)
    company.set_clocks(turn=1)
    await ben.decide("bet", stake=2000)
    await ann.until(ben.seq)
    await ann.decide("bet", stake=1000)
    await asyncio.to_thread(ann.post, "/accounts/logout/", "/accounts/logout/")
    await asyncio.wait_for(ann.socket.wait_closed(), 5)
    assert ann.socket.close_code == SESSION_ENDED
    assert company.seats() == 2
    await until(lambda: company.wallet(ann) == BANKROLL + 1000)
    assert company.seats() == 2, "the seat is held for a minute"
    assert (company.wallet(ben), company.pot()) == (BANKROLL + 2000, 0)


# Too late, or just in time


def seconds_until(snapshot: dict[str, Any], moment: int) -> float:
    """In how many seconds the server's clock says ``moment``."""
    return (moment - snapshot["now"]) / 1000


@pytest.mark.long
@pytest.mark.parametrize("off_ms", [-GRACE_MS - 50, -GRACE_MS + 50, -50, 50])
async def test_case_22_a_decision_about_the_deadline_is_the_players_or_the_clocks(
    company: Company, off_ms: int
) -> None:
    """50 ms before and after the deadline, and before and after what is still allowed."""
    company.stack("2s 6h 3d Kc 4h 5h 6d 7d 8d 9d 2d 3c 4c")
    ann = await company.seated(1)
    company.set_clocks(turn=3)  # long enough to look at it on a slow machine
    await ann.decide("bet", stake=1000)
    turn, hit = ann.table["turn"], str(uuid.uuid4())
    began = time.monotonic()
    snapshot = await resync(ann)
    assert snapshot["table"]["turn"] == turn
    lasts = seconds_until(snapshot, snapshot["table"]["deadline"] + GRACE_MS + off_ms)
    await asyncio.sleep(max(0.0, began + lasts - time.monotonic()))
    await say(ann, t="hit", id=hit, turn=turn)
    first, answer = await first_change_and_answer(ann, hit)
    took_ms = (time.monotonic() - began - lasts) * 1000
    if answer["t"] == "done":
        assert first == "card_dealt"
    else:
        assert (answer["code"], first) == ("stale_turn", "clock_ran_out")
        assert took_ms + off_ms > 0, "it was answered while it was still allowed"


async def resync(page: SocketPlayer) -> dict[str, Any]:
    await page.socket.send('{"t":"resync"}')
    return await page.frame_of("snapshot")


async def first_change_and_answer(page: SocketPlayer, command: str) -> tuple[str, dict[str, Any]]:
    """What happened at the table first, and what came of the command."""
    first, answer = "", {}
    while not (first and answer):
        frame = await page.frame()
        if frame["t"] == "changed" and not first:
            first = frame["events"][0]["type"]
        elif frame.get("id") == command:
            answer = frame
    return first, answer


@pytest.mark.long
@pytest.mark.parametrize("off_ms", [-50, 50])
async def test_case_22_a_bet_about_the_deadline_is_dealt_in_or_moves_nothing(
    company: Company, off_ms: int
) -> None:
    ann, ben = await company.seated(1), await company.seated(2)
    company.set_clocks(betting=3)  # long enough to look at it on a slow machine
    await ben.decide("bet", stake=2000)
    await ann.until(ben.seq)
    turn, bet = ann.table["turn"], str(uuid.uuid4())
    began = time.monotonic()
    snapshot = await resync(ann)
    assert snapshot["table"]["turn"] == turn
    lasts = seconds_until(snapshot, snapshot["table"]["deadline"] + GRACE_MS + off_ms)
    await asyncio.sleep(max(0.0, began + lasts - time.monotonic()))
    await say(ann, t="bet", id=bet, turn=turn, stake=1000)
    first, answer = await first_change_and_answer(ann, bet)
    staked = (
        "SELECT count(*) FROM accounts_walletentry t JOIN accounts_account a ON a.id = wallet_id"
        " JOIN accounts_user u ON u.id = a.user_id WHERE t.kind = 'stake' AND username = ?"
    )
    (played,) = company.ask(staked, ann.name)
    if answer["t"] == "done":
        assert (first, played) == ("bet_placed", (1,))
    else:
        assert (answer["code"], first, played) == ("stale_turn", "clock_ran_out", (0,))
