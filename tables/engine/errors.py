"""Errors of the engine: rule violations, conflicting options, invalid cards."""

from __future__ import annotations


class Text(str):
    """English text to be translated where it is shown; marks it for the catalogue."""

    __slots__ = ()


class StoredText(Text):
    """A stored text: a sentence of the site in English, or what an operator typed, which stays."""

    __slots__ = ()


class ExplainedError(Exception):
    """A refusal with a sentence.

    ``template`` is the sentence with %-placeholders for ``values``, so that it can be translated;
    :attr:`message` is the sentence in English.
    """

    def __init__(self, template: str, **values: object) -> None:
        super().__init__(template)
        self.template = template
        self.values = values

    def __str__(self) -> str:
        return self.message

    @property
    def message(self) -> str:
        return self.template % self.values


class RuleViolation(ExplainedError):
    """An action that the rules do not allow. Nothing has changed.

    ``code`` is a stable snake_case word for programs.
    """

    def __init__(self, code: str, template: str, **values: object) -> None:
        super().__init__(template, **values)
        self.code = code


class OptionError(ExplainedError, ValueError):
    """Options that cannot be played together, or an option out of its bounds.

    ``option`` is the name of the one to change.
    """

    def __init__(self, option: str, template: str, **values: object) -> None:
        super().__init__(template, **values)
        self.option = option


class CardError(ValueError):
    """Text that does not name one of the 52 cards."""
