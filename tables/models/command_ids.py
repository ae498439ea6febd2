"""The ids of commands: each is used once by its player, in the game or in the chat.

The game's commands are in ``Change``, those of the chat in ``ChatLine`` and ``ChatChange``. Each of
these database tables has a unique constraint on the ids. The chat also looks for its ids in
``Change``; a trigger checks the other direction, because a query would slow down every command.

On PostgreSQL neither the query nor the trigger sees what another process has not committed. So a
command of the chat takes an advisory lock of its player, and the trigger the same one, shared, before it
looks: whoever comes second waits, and then sees the first. The row of the player would do as well, but
inserts of others refer to it.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from accounts.lib.sql.driver import Statement, has_row_locks
from accounts.lib.sql.select import Select
from tables.models.company import ChatChange, ChatLine

_LOCK: Final = 1_869_768
"""The first number of the advisory locks; the second one is that of the player, below :data:`_BELOW`."""
_BELOW: Final = 2**31 - 1
_USED = """
SELECT 1 FROM tables_chatline WHERE user_id = NEW.user_id AND command_id = NEW.command_id
UNION ALL
SELECT 1 FROM tables_chatchange WHERE user_id = NEW.user_id AND command_id = NEW.command_id
"""
_SQLITE = f"""
CREATE TRIGGER tables_change_id_of_chat BEFORE INSERT ON tables_change
WHEN EXISTS ({_USED})
BEGIN SELECT RAISE(ABORT, 'the id of the command was used in the chat'); END
"""
_POSTGRESQL_FUNCTION = f"""
CREATE OR REPLACE FUNCTION refuse_id_of_chat() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
PERFORM pg_advisory_xact_lock_shared({_LOCK}, (NEW.user_id % {_BELOW})::integer);
IF EXISTS ({_USED}) THEN
RAISE unique_violation USING MESSAGE = 'the id of the command was used in the chat';
END IF;
RETURN NEW;
END $$
"""
_POSTGRESQL = """
CREATE TRIGGER tables_change_id_of_chat BEFORE INSERT ON tables_change
FOR EACH ROW WHEN (NEW.command_id IS NOT NULL) EXECUTE FUNCTION refuse_id_of_chat()
"""


def refuse_ids_of_chat(editor: BaseDatabaseSchemaEditor) -> None:
    """Create the trigger that refuses changes with an id that its player has used in the chat.

    On SQLite a migration that recreates ``tables_change`` must call this again.
    """
    if editor.connection.vendor == "postgresql":
        replace_function(editor)
        editor.execute(_POSTGRESQL, params=None)
    else:
        editor.execute(_SQLITE, params=None)


def replace_function(editor: BaseDatabaseSchemaEditor) -> None:
    """Replace the trigger's function by the present one, on PostgreSQL."""
    if editor.connection.vendor == "postgresql":
        editor.execute(_POSTGRESQL_FUNCTION, params=None)


def accept_ids_of_chat(editor: BaseDatabaseSchemaEditor) -> None:
    """Drop the trigger of :func:`refuse_ids_of_chat`."""
    on_table = " ON tables_change" if editor.connection.vendor == "postgresql" else ""
    editor.execute(f"DROP TRIGGER tables_change_id_of_chat{on_table}", params=None)


_lines = Select(
    lambda user_id, command_id: (
        ChatLine.objects.filter(user=user_id, command_id=command_id).order_by().values_list("pk")
    )
)
_chat_changes = Select(
    lambda user_id, command_id: (
        ChatChange.objects.filter(user=user_id, command_id=command_id).order_by().values_list("pk")
    )
)


_lock_player = Statement("SELECT pg_advisory_xact_lock(%s, %s)")


def lock_ids(user_id: int) -> None:
    """Have other commands of this player wait until the transaction ends, for one of the chat."""
    if has_row_locks():
        _lock_player.read([_LOCK, user_id % _BELOW])


def is_used_in_chat(user_id: int, command_id: UUID) -> bool:
    """Whether this player has used the id of a command in the chat."""
    return bool(_lines(user_id, command_id) or _chat_changes(user_id, command_id))
