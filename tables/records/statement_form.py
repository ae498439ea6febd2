"""The filter form of the statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tables.records.forms import DaysForm, choice_field
from tables.records.statement import KINDS, StatementFilters
from tables.records.statement_text import KIND_WORDS


class StatementForm(DaysForm):
    """The filter of the statement."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        kinds = [(kind.value, KIND_WORDS[kind]) for kind in KINDS]
        super().__init__(data, {"kind": choice_field(_("Kind"), _("all kinds"), kinds)})

    @property
    def filters(self) -> StatementFilters:
        """The valid filters."""
        data = self.cleaned_data
        zone = timezone.get_current_timezone()
        return StatementFilters(data.get("kind", ""), data.get("from"), data.get("to"), zone)
