"""Signing up, sessions, limits, guests and the end of an account."""
