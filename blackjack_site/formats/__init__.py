"""Formats of dates on pages that name none, by language."""
