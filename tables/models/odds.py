"""Exact values of rules, which are computed once."""

from __future__ import annotations

from django.db import models


class GameOdds(models.Model):
    """The exact value of a game, for all tables with the same odds."""

    digest = models.CharField(max_length=64, unique=True)
    """The SHA-256 of the fields of a rule set that its value depends on."""
    version = models.PositiveSmallIntegerField()
    """The version of the calculator; rows of other versions are not read."""
    figures = models.JSONField()
    """The numbers of :class:`tables.odds.games.Game`, by name."""
    chart = models.JSONField()
    """The codes of the best play, by part, row and up card."""

    class Meta:
        verbose_name_plural = "game odds"
        default_permissions = ()

    def __str__(self) -> str:
        return f"odds {self.digest[:12]}"
