"""The figures of practice that an account keeps."""

from __future__ import annotations

from django.db import models

from accounts.models import User


class PracticeProgress(models.Model):
    """A user's figures of practice; see :mod:`tables.advice.progress`."""

    user = models.OneToOneField(
        User, on_delete=models.CASCADE, primary_key=True, related_name="practice_progress"
    )
    games = models.JSONField(default=dict)
    """The figures by game, the latest last: at most 20 games with 60 missed spots each."""
    batches = models.JSONField(default=list)
    """The latest batches that were added, so that none is added twice."""

    class Meta:
        verbose_name = "practice record"

    def __str__(self) -> str:
        return f"practice of {self.user}"
