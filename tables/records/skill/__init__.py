"""Luck and skill: prices of decisions, figures, and the leaderboard of skill."""
