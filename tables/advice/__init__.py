"""Advice from the exact odds: what games and decisions at tables are worth."""
