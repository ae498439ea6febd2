"""The text of an error, for a sentence or a line of the log."""

from __future__ import annotations


def describe(error: BaseException) -> str:
    """The message of an error in one line, without the number of an error of the operating system.

    >>> describe(OSError(28, "No space left on device", "/backups/house.tar.gz"))
    'No space left on device (/backups/house.tar.gz)'
    """
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror} ({error.filename})" if error.filename else error.strerror
    return " ".join(str(error).split())
