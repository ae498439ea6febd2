"""The audit log: list, search, text."""
