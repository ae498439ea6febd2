"""The pipeline of PostgreSQL after errors. Run by ``test_postgresql.py``."""

from __future__ import annotations

import pytest
from django.db import (
    DataError,
    IntegrityError,
    NotSupportedError,
    OperationalError,
    connection,
    transaction,
)

from accounts.lib.sql import driver
from accounts.lib.sql.driver import Statement, UnexpectedRows
from accounts.models import User
from tests.helpers.table_client import new_player

pytestmark = pytest.mark.django_db(transaction=True)

_name = Statement("SELECT username, date_joined FROM accounts_user WHERE id = %s")
_rename = Statement("UPDATE accounts_user SET username = %s WHERE id = %s")


@pytest.fixture
def ben(db: None) -> User:
    return new_player("ben")


def name_of(user: User) -> str:
    ((name, _),) = _name.read([user.pk])
    return str(name)


def rename_in_a_pipeline(*renames: tuple[str, int], error: Exception | None = None) -> None:
    """Rename the users with these ids in one pipeline; each has to be there."""
    with transaction.atomic(), driver.pipeline():
        for name, pk in renames:
            _rename.write([[name, pk]], expected=1)
        if error is not None:
            raise error


def test_results_come_at_the_end_in_any_order_of_reading(ann: User, ben: User) -> None:
    with transaction.atomic(), driver.pipeline():
        get_ann = _name.send([ann.pk])
        _rename.write([["bert", ben.pk]], expected=1)
        get_ben = _name.send([ben.pk])
        with pytest.raises(AssertionError):
            get_ann()
    assert get_ben() == [("bert", ben.date_joined)]
    assert get_ann() == [("ann", ann.date_joined)]


def test_after_an_error_of_the_block_nothing_is_written_and_the_connection_goes_on(
    ann: User,
) -> None:
    with pytest.raises(ValueError, match="of the block"):
        rename_in_a_pipeline(("anna", ann.pk), error=ValueError("of the block"))
    assert name_of(ann) == "ann"


def test_the_first_error_is_raised_and_nothing_is_written(ann: User, ben: User) -> None:
    with pytest.raises(IntegrityError):
        rename_in_a_pipeline(("bert", ben.pk), ("bert", ann.pk), ("x" * 1000, ann.pk))
    assert (name_of(ann), name_of(ben)) == ("ann", "ben")


def test_unexpected_rows_are_raised_in_place_of_what_may_follow_from_them(
    ann: User, ben: User
) -> None:
    with pytest.raises(UnexpectedRows):
        rename_in_a_pipeline(("nobody", 0), ("ben", ann.pk))
    with pytest.raises(DataError):
        rename_in_a_pipeline(("nobody", 0), ("x" * 1000, ann.pk))
    assert name_of(ann) == "ann"


def test_a_text_that_postgresql_cannot_store_is_refused(ann: User) -> None:
    with pytest.raises(DataError), transaction.atomic():
        _rename.write([["an\0na", ann.pk]])
    assert name_of(ann) == "ann"


def test_a_pipeline_in_a_pipeline_is_a_part_of_it(ann: User) -> None:
    with transaction.atomic(), driver.pipeline():
        with driver.pipeline():
            _rename.write([["anna", ann.pk]])
        get_rows = _name.send([ann.pk])
    assert get_rows() == [("anna", ann.date_joined)]


def test_statements_that_somebody_has_deallocated_fail_once(ann: User) -> None:
    assert name_of(ann) == "ann"
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")
    with pytest.raises(NotSupportedError):
        name_of(ann)
    assert name_of(ann) == "ann"


def test_a_connection_that_breaks_in_a_pipeline_is_an_operational_error(ann: User) -> None:
    end = Statement("SELECT pg_terminate_backend(pg_backend_pid())")

    def end_and_rename() -> None:
        with transaction.atomic(), driver.pipeline():
            end.send([])
            _rename.write([["anna", ann.pk]], expected=1)

    with pytest.raises(OperationalError):
        end_and_rename()
    assert name_of(ann) == "ann"


def test_more_than_a_socket_holds_is_sent_and_received(ann: User) -> None:
    """PostgreSQL does not read on while nobody reads what it answers."""
    echo = Statement("SELECT repeat(%s::text, 1000)")
    with driver.pipeline():
        answers = [echo.send(["x" * 1000]) for _ in range(50)]
    assert {len(text) for get_rows in answers for (text,) in get_rows()} == {1_000_000}
