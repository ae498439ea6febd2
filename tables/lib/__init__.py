"""Helpers without knowledge of tables."""
