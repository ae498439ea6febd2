"""Alerts: what waits for an operator or is wrong, and the messages about it."""
