"""Bets behind: placed by watchers before the deal, and settled with the hands of the players."""
