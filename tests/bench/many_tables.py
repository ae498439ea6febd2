"""Many open tables, straight into a database: what the lobby and every look round must not feel."""

from __future__ import annotations

import datetime as dt
import sqlite3
from contextlib import closing
from pathlib import Path

SEATED = 2
"""So many sit at each table, where anybody does."""
SOMEWHERE = "a process far away"
LONG = dt.timedelta(days=1)


def furnish(path: Path, *, tables: int, is_seated: bool = False) -> list[int]:
    """Open tables like the first one until there are so many: the house's and players' by turns.

    With ``is_seated`` players sit there, whose pages are open in a process that is not ours: so
    nobody takes them for gone. They are those whom the books were filled with. The ids of the
    new tables.
    """
    with closing(sqlite3.connect(path)) as database:
        ((there,),) = database.execute("SELECT count(*) FROM tables_table")
        ((last,),) = database.execute("SELECT max(id) FROM accounts_account")
        users = [
            user
            for (user,) in database.execute(
                "SELECT id FROM accounts_user WHERE password = '!' ORDER BY id"
            )
        ]
        fresh = range(tables - there)
        database.executemany(
            "INSERT INTO accounts_account (id, kind, balance) VALUES (?, ?, 0)",
            [(last + 1 + n, "rack") for n in fresh],
        )
        columns = [name for _, name, *_ in database.execute("PRAGMA table_info(tables_table)")]
        columns.remove("id")
        own = {"name": "?", "code": "?", "rack_id": "?", "maker_id": "?"}
        as_new = own | {"seq": "0", "state": "'{}'", "staked": "0", "rack_due": "0"}
        values = ", ".join(as_new.get(name, name) for name in columns)
        order = [name for name in columns if name in own]
        rows = []
        for n in fresh:
            maker = users[n % len(users)] if n % 2 and users else None
            row = {
                "name": f"Table {n}", "code": f"{n:08}", "rack_id": last + 1 + n,
                "maker_id": maker,
            }  # fmt: skip
            rows.append([row[name] for name in order])
        database.executemany(
            f"INSERT INTO tables_table ({', '.join(columns)}) SELECT {values} FROM tables_table"
            " WHERE id = 1",
            rows,
        )
        new_rows = database.execute(
            "SELECT id FROM tables_table ORDER BY id LIMIT -1 OFFSET ?", (there,)
        )
        ids = [table for (table,) in new_rows]
        if is_seated:
            _seat(database, ids, users)
        database.execute("PRAGMA analysis_limit = 1000")
        database.execute("ANALYZE")
        database.commit()
    return ids


def _seat(database: sqlite3.Connection, tables: list[int], users: list[int]) -> None:
    now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    at, seen_at = (moment.isoformat(" ", "microseconds") for moment in (now, now + LONG))
    places = [
        (table, seat, users[(SEATED * table + seat) % len(users)])
        for table in tables
        for seat in range(1, SEATED + 1)
    ]
    database.executemany(
        "INSERT INTO tables_seat (table_id, number, user_id, missed_rounds, sat_at, is_leaving,"
        " won, lost, pushed, net, place) VALUES (?, ?, ?, 0, ?, 0, 0, 0, 0, 0, '')",
        [(*place, at) for place in places],
    )
    database.executemany(
        "INSERT INTO tables_visit (table_id, process, user_id, pages, seen_at)"
        " VALUES (?, ?, ?, 1, ?)",
        [(table, SOMEWHERE, user, seen_at) for table, _, user in places],
    )
