"""The error for an operation that was refused."""

from __future__ import annotations


class OperationRefused(Exception):
    """The operation was refused and changed nothing. The message is for the operator."""
