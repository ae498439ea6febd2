"""Luck and skill: the cost of decisions, figures, and the leaderboard of skill."""
