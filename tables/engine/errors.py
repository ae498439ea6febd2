"""What the engine raises: a play against the rules, or text that is no card."""

from __future__ import annotations


class RuleViolation(Exception):
    """A play that the rules do not allow here. Nothing has changed.

    ``code`` is a stable snake_case word for programs, ``message`` a sentence for the player.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


class CardError(ValueError):
    """Text that does not name one of the 52 cards."""
