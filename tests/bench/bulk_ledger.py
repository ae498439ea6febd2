"""Years of rounds, written straight into a database: what pages are asked about when it is late.

The rows are what the house itself would have written; the audit finds nothing wrong with them.
"""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from accounts.lib import names
from tables.protocol import change_body, codec
from tests.bench.bulk_rows import MOVED, Block

CHUNK = 5_000
BLOCKS = 20
"""The last rounds are the first ones over again, so many times: SQL copies them quicker than
Python makes them."""
BLOCK_SPAN = dt.timedelta(days=55)
SPAN = BLOCKS * BLOCK_SPAN
CACHE_KILOBYTES = 400_000
STAKE = 1_000
GRANT = 50_000
FILL = 10**9

HANDS = (
    ("Ts 7h", 17, "lose", 0), ("Ts 9h", 19, "win", 2), ("Ks 8h", 18, "push", 1),
    ("Jc Qd", 20, "win", 2), ("9s 5h Td", 24, "bust", 0),
)  # fmt: skip
"""Cards, total, outcome, and how many stakes are paid: nobody gets rich, and nobody poor. With
each rule set a player begins with one that ends every streak, so that blocks follow each other."""
DEALER = "8s Td"

INSERTS = {
    "accounts_account": "id, kind, balance, user_id",
    "accounts_transfer": "id, kind, debit_id, credit_id, amount, reference, debit_balance,"
    " credit_balance, at, by_id",
    "accounts_walletentry": "id, wallet_id, seq, kind, amount, balance, at, by_id, round, place,"
    " transfer_id",
    "tables_round": "id, table_id, rules_key, rules_options, opened_at, dealt_at, finished_at,"
    " dealer_cards",
    "tables_change": "table_id, seq, round_id, at, user_id, body",
    "tables_result": "user_id, round_id, table_id, rules_key, seat, opens_game, finished_at,"
    " decisions, outcome, stake, payout, hands",
    "tables_tally": "user_id, rules_key, day, rounds, won, lost, pushed, blackjacks, busts,"
    " doubles, splits, staked, net, biggest_win, streak, longest_streak",
    "tables_standing": "user_id, rounds, net, per_hundred",
    "tables_takings": "table_id, rules_key, options, day, rounds, plays, staked, paid, bets,"
    " bets_squared, void_rounds, void_plays, void_staked, void_paid",
}
COUNTED = (
    "rounds", "won", "lost", "pushed", "blackjacks", "busts", "doubles", "splits", "staked", "net",
    "biggest_win", "streak", "longest_streak",
)  # fmt: skip


class Books:
    """The books of a house of which nothing was played yet."""

    def __init__(self, path: Path) -> None:
        self.database = sqlite3.connect(path)
        for pragma in (
            "journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE",
            "temp_store = MEMORY", "ignore_check_constraints = ON", "threads = 2",
            f"cache_size = -{CACHE_KILOBYTES}",
        ):  # fmt: skip
            self.database.execute(f"PRAGMA {pragma}")
        self.rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in INSERTS}
        self.balances: Counter[int] = Counter(
            dict(self._ask("SELECT id, balance FROM accounts_account"))
        )
        self.wallets: dict[int, int] = dict(
            self._ask("SELECT user_id, id FROM accounts_account WHERE kind = 'wallet'")
        )
        ((self.bank,),) = self._ask("SELECT id FROM accounts_account WHERE kind = 'bank'")
        ((self.transfer,),) = self._ask("SELECT max(id) FROM accounts_transfer")
        ((self.entry,),) = self._ask("SELECT max(id) FROM accounts_walletentry")
        self.entered: Counter[int] = Counter(
            dict(self._ask("SELECT id, seq FROM accounts_account WHERE kind = 'wallet'"))
        )
        self.tables = self._ask(
            "SELECT id, rules_key, rack_id FROM tables_table WHERE rules_key IN"
            " ('casino', 'vegas') ORDER BY id"
        )
        self.seqs: Counter[int] = Counter()
        self.played: Counter[tuple[int, str]] = Counter()
        self.nets: Counter[int] = Counter()
        self.days: dict[tuple[int, str, dt.date], Counter[str]] = {}
        self.streaks: Counter[tuple[int, str]] = Counter()
        self.takings: dict[tuple[int, str, dt.date], Counter[str]] = {}
        # From one midnight to another, so that each day lies in one block.
        today = dt.datetime.now(dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        self.now = today - SPAN

    def fill(self, *, hands: int, rounds_of: dict[str, int], others: int) -> None:
        """Write rounds of three hands each, ``hands`` in all, the last of them yesterday.

        The players in ``rounds_of``, who exist, are in so many of them; ``others`` in the rest.
        All these numbers are rounded down to whole :data:`BLOCKS`.
        """
        users = dict(self._ask("SELECT username, id FROM accounts_user"))
        named = {users[name]: rounds // BLOCKS for name, rounds in rounds_of.items()}
        strangers = [self._add_player(number) for number in range(others)]
        for _, _, rack in self.tables:
            self._move("fill", self.bank, rack, FILL, f"account:{rack}/fill")
        self._flush()
        indexes = self._ask(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
            f" AND tbl_name IN ({', '.join(repr(name) for name in MOVED)})"
        )
        for name, _ in indexes:  # made anew in one go, which is quicker
            self.database.execute(f"DROP INDEX {name}")
        self._write_blocks(hands // 3 // BLOCKS, named, strangers)
        for _, sql in indexes:
            self.database.execute(sql)
        self._close()

    def _write_blocks(self, rounds: int, named: dict[int, int], strangers: list[int]) -> None:
        """One block of so many rounds, and its copies."""
        block, first = Block(self.database, INSERTS), self.entry
        before, entered_before = self.balances.copy(), self.entered.copy()
        for number, seats in enumerate(_seats(rounds, named, strangers), start=1):
            self.now += BLOCK_SPAN / (rounds + 1)
            self._play(number, seats)
            if number % CHUNK == 0:
                block.take(self.rows)
        self._sum_days()
        block.take(self.rows)
        gained = {account: self.balances[account] - before[account] for account in self.balances}
        entered = {wallet: self.entered[wallet] - entered_before[wallet] for wallet in self.entered}
        block.copy(
            BLOCKS, days=BLOCK_SPAN.days, rounds=rounds, entries=self.entry - first,
            entered=entered, gained=gained, dealt=self.seqs,
        )  # fmt: skip
        for wallet, entries in entered.items():
            self.entered[wallet] = entered_before[wallet] + BLOCKS * entries
        for account, amount in gained.items():
            self.balances[account] = before[account] + BLOCKS * amount

    def _play(self, number: int, seats: list[int]) -> None:
        table, key, rack = self.tables[number % len(self.tables)]
        at = _text(self.now)
        self.rows["tables_round"].append((number, table, key, "{}", at, at, at, DEALER))
        events: list[dict[str, Any]] = []
        for seat, user in enumerate(seats, start=1):
            cards, total, outcome, paid = HANDS[self.played[user, key] % len(HANDS)]
            self.played[user, key] += 1
            wallet, payout = self.wallets[user], paid * STAKE
            place = f"seat:{seat}/hand:1"
            self._enter("stake", wallet, -STAKE, (number, f"{place}/stake", None), by=user)
            if paid:
                self._enter("payout", wallet, payout, (number, f"{place}/payout", None), by=user)
            self.balances[rack] += STAKE - payout
            hands = json.dumps([[cards, total, 0, outcome, STAKE, payout]], separators=(",", ":"))
            self.rows["tables_result"].append(
                (user, number, table, key, seat, 1, at, 1, outcome, STAKE, payout, hands)
            )
            self._count(user, key, outcome, payout - STAKE)
            self._take(table, key, payout)
            events += _events(seat, cards, outcome, payout)
        self.takings[table, key, self.now.date()]["rounds"] += 1
        self.seqs[table] += 1
        self.rows["tables_change"].append(
            (
                table,
                self.seqs[table],
                number,
                at,
                seats[0],
                change_body.encode("", None, codec.encode(events)),
            )
        )

    def _count(self, user: int, rules_key: str, outcome: str, net: int) -> None:
        self.nets[user] += net
        for key in ("", rules_key):
            tally = self.days.setdefault((user, key, self.now.date()), Counter())
            won = outcome == "win"
            streak = self.streaks[user, key]
            streak = streak + 1 if won else streak if outcome == "push" else 0
            self.streaks[user, key] = streak
            tally["rounds"] += 1
            tally["won"] += won
            tally["lost"] += outcome in ("lose", "bust")
            tally["pushed"] += outcome == "push"
            tally["busts"] += outcome == "bust"
            tally["staked"] += STAKE
            tally["net"] += net
            tally["biggest_win"] = max(tally["biggest_win"], net)
            tally["streak"] = streak
            tally["longest_streak"] = max(tally["longest_streak"], streak if won else 0)

    def _take(self, table: int, rules_key: str, payout: int) -> None:
        takings = self.takings.setdefault((table, rules_key, self.now.date()), Counter())
        takings["plays"] += 1
        takings["staked"] += STAKE
        takings["paid"] += payout

    def _move(
        self, kind: str, debit: int, credit: int, amount: int, reference: str, by: int | None = None
    ) -> None:
        self.transfer += 1
        self.balances[debit] -= amount
        self.balances[credit] += amount
        self.rows["accounts_transfer"].append(
            (
                self.transfer, kind, debit, credit, amount, reference, self.balances[debit],
                self.balances[credit], _text(self.now), by,
            )
        )  # fmt: skip

    def _enter(
        self, kind: str, wallet: int, amount: int, purpose: tuple[int | None, str, int | None],
        by: int | None = None,
    ) -> None:  # fmt: skip
        """An entry. ``purpose`` is its round and place, or its transfer."""
        self.entry += 1
        self.entered[wallet] += 1
        self.balances[wallet] += amount
        self.rows["accounts_walletentry"].append(
            (
                self.entry, wallet, self.entered[wallet], kind, amount, self.balances[wallet],
                _text(self.now), by, *purpose,
            )
        )  # fmt: skip

    def _add_player(self, number: int) -> int:
        name = f"player{number}"
        inserted = self.database.execute(
            "INSERT INTO accounts_user (username, folded, skeleton, password, first_name,"
            " last_name, email, is_staff, is_active, is_superuser, date_joined, is_guest,"
            " has_own_limits, is_listed, frozen_because)"
            " VALUES (?, ?, ?, '!', '', '', '', 0, 1, 0, ?, 0, 0, 1, '')",
            (name, names.folded(name), names.skeleton(name), _text(self.now)),
        )
        user = inserted.lastrowid
        assert user is not None
        self.wallets[user] = max(self.balances) + 1
        self.balances[self.wallets[user]] = 0
        self.rows["accounts_account"].append((self.wallets[user], "wallet", 0, user))
        self._flush()
        wallet = self.wallets[user]
        self._move("grant", self.bank, wallet, GRANT, f"user:{user}/grant")
        self.balances[wallet] -= GRANT  # its entry adds that
        self._enter("grant", wallet, GRANT, (None, "", self.transfer))
        return user

    def _flush(self) -> None:
        for name, rows in self.rows.items():
            marks = ", ".join("?" * len(INSERTS[name].split(",")))
            self.database.executemany(
                f"INSERT INTO {name} ({INSERTS[name]}) VALUES ({marks})", rows
            )
            rows.clear()
        self.database.commit()

    def _sum_days(self) -> None:
        """What a block came to by the day, for players and for tables."""
        for (user, key, day), tally in self.days.items():
            counted = (tally[name] for name in COUNTED)
            self.rows["tables_tally"].append((user, key, day.isoformat(), *counted))
        for (table, key, day), takings in self.takings.items():
            staked, squared = takings["staked"], takings["plays"] * STAKE**2
            sums = (takings["rounds"], takings["plays"], staked, takings["paid"], staked, squared)
            row = (table, key, "{}", day.isoformat(), *sums, 0, 0, 0, 0)
            self.rows["tables_takings"].append(row)

    def _close(self) -> None:
        played: Counter[int] = Counter()
        for (user, _), rounds in self.played.items():
            played[user] += rounds
        for user, rounds in played.items():
            net = self.nets[user]
            row = (user, BLOCKS * rounds, BLOCKS * net, net * 100 // rounds)
            self.rows["tables_standing"].append(row)
        self._flush()
        balances = [
            (balance, self.entered.get(account, 0), account)
            for account, balance in self.balances.items()
        ]
        self.database.executemany(
            "UPDATE accounts_account SET balance = ?, seq = ? WHERE id = ?", balances
        )
        for table, rounds in self.seqs.items():
            self.database.execute(
                "UPDATE tables_table SET seq = ? WHERE id = ?", (BLOCKS * rounds, table)
            )
        self.database.execute("PRAGMA analysis_limit = 1000")
        self.database.execute("ANALYZE")
        self.database.commit()
        self.database.close()

    def _ask(self, query: str) -> list[Any]:
        return self.database.execute(query).fetchall()


def _seats(total: int, named: dict[int, int], strangers: list[int]) -> Iterator[list[int]]:
    """Who plays each round: the named at equal distances, and strangers by turns beside them."""
    turn = 0
    for number in range(total):
        seats = [
            user
            for user, rounds in named.items()
            if (number + 1) * rounds // total > number * rounds // total
        ]
        while len(seats) < 3:
            seats.append(strangers[turn % len(strangers)])
            turn += 1
        yield seats


def _events(seat: int, cards: str, outcome: str, payout: int) -> list[dict[str, Any]]:
    dealt = [
        {"type": "card_dealt", "seat": seat, "hand": 1, "card": card} for card in cards.split()
    ]
    settled = {
        "type": "hand_settled", "seat": seat, "hand": 1, "outcome": outcome, "stake": STAKE,
        "payout": payout,
    }  # fmt: skip
    return [*dealt, settled]


def _text(moment: dt.datetime) -> str:
    """As Django stores it in SQLite."""
    return moment.replace(tzinfo=None).isoformat(" ", "microseconds")
