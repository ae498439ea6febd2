"""Rounds: search, verification, voids, reports of players."""
