"""Checks of every request and every socket before they reach an app."""
