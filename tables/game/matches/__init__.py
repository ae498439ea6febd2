"""Matches: opening, starting, counting rounds, ending; and duplicate matches."""
