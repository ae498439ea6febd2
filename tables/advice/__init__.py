"""Exact values for the pages of the site: of games, and of decisions at tables."""
