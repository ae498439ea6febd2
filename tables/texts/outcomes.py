"""Outcomes of hands and rounds as text."""

from __future__ import annotations

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tables.engine.events import Outcome

OUTCOMES: Final[dict[Outcome, str | Promise]] = {
    Outcome.BLACKJACK: _("Blackjack"),
    Outcome.WIN: _("Won"),
    Outcome.PUSH: _("Push"),
    Outcome.LOSE: _("Lost"),
    Outcome.BUST: _("Bust"),
    Outcome.SURRENDER: _("Surrendered"),
}
"""The texts on the badges of hands."""


def format_outcome(outcome: str) -> str:
    """The text of the outcome of a hand or result; ``void`` is that of a void round.

    >>> format_outcome("lose"), format_outcome("void")
    ('Lost', 'Void')
    """
    return str(OUTCOMES[Outcome(outcome)] if outcome in set(Outcome) else _("Void"))
