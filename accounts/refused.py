"""How it is said that something an operator wished was not done."""

from __future__ import annotations


class Refused(Exception):
    """Nothing was changed. Says why, in a sentence for the operator."""
