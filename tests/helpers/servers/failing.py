"""The real server, with program errors where a test asks for them: in a page, in a command, in a thread.

``python -m tests.helpers.servers.failing``: everything else is ``manage.py serve`` with stacked shoes. In
each place a variable has the value :data:`HIDDEN`, and so has the message.
"""

from __future__ import annotations

import os
import threading
from typing import Any, Final, NoReturn

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")

HIDDEN: Final = "hidden-ace-of-spades"
FAILING_TEXT: Final = "Fail, please."
"""The line of chat that is not said."""
THREAD: Final = "And in a thread."


def fail(*_: object, **__: object) -> NoReturn:
    """Raise an error, as a bug of the site does."""
    card = HIDDEN
    raise RuntimeError(card)


def main() -> None:
    """Serve, and fail."""
    django.setup()
    from tables.records import leaderboard
    from tables.social import chat
    from tests.helpers.servers import stacked

    execute = chat.execute

    def execute_or_fail(table_id: int, user_id: int, command: Any, *rest: Any, **more: Any) -> Any:
        text = getattr(command, "text", "")
        if text == FAILING_TEXT:
            fail()
        if text == THREAD:
            threading.Thread(target=fail, name="bug").start()
        return execute(table_id, user_id, command, *rest, **more)

    chat.execute = execute_or_fail
    leaderboard.list_rows = fail
    stacked.main()


if __name__ == "__main__":
    main()
