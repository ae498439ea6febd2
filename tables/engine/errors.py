"""What the engine raises: a play against the rules, rules that contradict, text that is no card."""

from __future__ import annotations


class RuleViolation(Exception):
    """A play that the rules do not allow here. Nothing has changed.

    ``code`` is a stable snake_case word for programs, ``message`` a sentence for the player.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


class OptionError(ValueError):
    """Options that cannot be played together, or an option out of its bounds.

    ``option`` is the name of the one to change, the text a sentence that says why.
    """

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option


class CardError(ValueError):
    """Text that does not name one of the 52 cards."""
