"""Advice to players: what decisions are worth, and what they cost."""
