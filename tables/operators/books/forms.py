"""Filter forms of the revenue pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.forms import ChoiceField, Field
from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from accounts.lib.ids import parse_id
from accounts.lists.forms import ListForm
from tables.engine.options import OPTIONS
from tables.engine.presets import PRESETS
from tables.models import Table
from tables.operators.books.house_edge import RuleVariant
from tables.operators.books.revenue import DAY, MONTH, RULES, TABLE, WEEK, RevenueFilters
from tables.protocol import codec
from tables.records.forms import DaysForm

UNITS: dict[str, str | Promise] = {
    DAY: _("days"),
    WEEK: _("weeks"),
    MONTH: _("months"),
    TABLE: _("tables"),
    RULES: _("rule sets"),
}
_NOT_THERE = {"invalid_choice": _("Unknown value. This filter is ignored.")}
_MOST_TABLES = 100
"""The number of the site's own tables in the filter. Rows link to any table."""


def _choice_field(label: Any, choices: list[tuple[str, Any]]) -> Field:
    return ChoiceField(label=label, required=False, choices=choices, error_messages=_NOT_THERE)


def get_rules_title(rules_key: str) -> str:
    """The title of a rule set."""
    return str(_now(PRESETS[rules_key].title)) if rules_key in PRESETS else rules_key


def describe_combination(way: RuleVariant) -> str:
    """A rule set with its changed options: ``Vegas (Decks: 8)``."""
    options = codec.decode_state(way.options)
    if not options:
        return get_rules_title(way.key)
    parts = [
        f"{_now(OPTIONS[name].label) if name in OPTIONS else name}: {_format_option(value)}"
        for name, value in options.items()
    ]
    return f"{get_rules_title(way.key)} ({', '.join(parts)})"


def _format_option(value: object) -> str:
    if isinstance(value, bool):
        return _now("yes") if value else _now("no")
    return str(value)


class AuditRunsForm(ListForm):
    """The filter of the audits."""

    has_table = has_player = False


class BooksForm(DaysForm):
    """The filter and grouping of the books."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        titles = [(key, _now(rules.title)) for key, rules in PRESETS.items()]
        fields = {
            "by": _choice_field(_("Group by"), list(UNITS.items())),
            "table": _choice_field(
                _("Table"), [("", _("All tables")), *_table_choices(data.get("table", ""))]
            ),
            "rules": _choice_field(_("Rules"), [("", _("All rule sets")), *titles]),
        }
        super().__init__(data, fields)

    @property
    def filters(self) -> RevenueFilters:
        """The valid filters."""
        data = self.cleaned_data
        return RevenueFilters(
            by=data.get("by") or DAY,
            since=data.get("from"),
            until=data.get("to"),
            table=int(data["table"]) if data.get("table") else None,
            rules=data.get("rules", ""),
        )


def _table_choices(chosen: str) -> list[tuple[str, str]]:
    """The site's own tables, and the selected one."""
    rows = list(Table.objects.filter(maker=None).values_list("pk", "name")[:_MOST_TABLES])
    table_id = parse_id(chosen)
    if table_id is not None:
        rows += Table.objects.filter(pk=table_id).values_list("pk", "name")
    return [(str(pk), f"{name} ({pk})") for pk, name in dict(rows).items()]
