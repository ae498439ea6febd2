"""``manage.py makemessages``: Django's command, which also collects the sentences of the engine."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import makemessages

KEYWORDS = ("Text", "RuleViolation:2", "OptionError:2", "FrameError:2")
"""Functions with sentences as arguments: the engine cannot call gettext."""
IGNORED = ("tests", "var", "docs", "requirements", "node_modules")


class Command(makemessages.Command):
    """Writes catalogues without line numbers, so that they change only with their sentences."""

    xgettext_options = [
        *makemessages.Command.xgettext_options,
        *(f"--keyword={keyword}" for keyword in KEYWORDS),
    ]

    def handle(self, *args: Any, **options: Any) -> None:
        options["add_location"] = options["add_location"] or "file"
        options["ignore_patterns"] = [*options["ignore_patterns"], *IGNORED]
        super().handle(*args, **options)
