"""The errors of operations: refused, or of a site that is too busy."""

from __future__ import annotations

from typing import Final

from django.db import InterfaceError, NotSupportedError, OperationalError
from django.utils.translation import gettext_lazy

BUSY: Final = (OperationalError, InterfaceError, NotSupportedError, TimeoutError)
"""The exceptions if the database or the writer does not answer in time. ``NotSupportedError`` is that of a
prepared statement whose table is changed again and again. Other errors of the database are program
errors.
"""
TRY_AGAIN: Final = gettext_lazy("The site is busy. Try again in a few seconds.")
CHECK_FIRST: Final = gettext_lazy(
    "The site is busy. Check whether it was done before you try again."
)
"""What took too long may still be done later."""


def explain_busy(error: Exception) -> str:
    """The sentence for one of :data:`BUSY`."""
    return str(CHECK_FIRST if isinstance(error, TimeoutError) else TRY_AGAIN)


class OperationRefused(Exception):
    """The operation was refused and changed nothing. The message is for the operator."""
