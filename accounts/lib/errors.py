"""The error for an operation that was refused."""

from __future__ import annotations


class OperationRefused(Exception):
    """Nothing was changed. Says why, in a sentence for the operator."""
