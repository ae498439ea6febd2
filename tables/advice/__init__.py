"""Advice from the exact odds: what decisions at tables are worth, and what they cost."""
