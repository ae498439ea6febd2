"""A house with a row in every table: ``python -m tests.multiprocess.every_kind_of_row``.

It runs on the database of the environment. What nobody has played is written, with values of each
kind; so a table that is added later has a row as well. No server has run with this database.
"""

from __future__ import annotations

import datetime as dt
import os
from decimal import Decimal
from typing import Any
from uuid import uuid4

import django

OWN_VALUES: dict[str, dict[str, Any]] = {
    "OwnLimit": {"kind": "loss"},
    "Match": {"state": "running", "ended_at": None, "rematch": None},
    "QueueEntry": {"seat": None, "until": None},
}
"""Where a constraint asks for certain values."""
TEXT = "é €, 'quoted' \"twice\"\n\\N\ttab 🂡"


def main() -> None:
    """Play, and fill the rest."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "blackjack_site.settings"
    django.setup()
    from django.apps import apps

    from accounts.models import User
    from tables.models import DatabaseIdentity, Friendship, ServerProcess
    from tests.operators import populated_site

    populated_site.build()
    low, high = User.objects.order_by("pk")[:2]
    now = dt.datetime.now(dt.UTC)
    ServerProcess.objects.update(seen_at=now - dt.timedelta(hours=1))  # it has ended
    Friendship.objects.create(low=low, high=high, asked_by=low, at=now, state="friends")
    for _ in range(3):  # a foreign key may lead to a table that comes later
        for model in apps.get_models(include_auto_created=True):
            if model is not DatabaseIdentity and not model._default_manager.exists():
                _fill(model)


def _fill(model: Any) -> None:
    values = {}
    for field in model._meta.concrete_fields:
        own = OWN_VALUES.get(model.__name__, {})
        if field.name in own:
            values[field.name] = own[field.name]
        elif field.related_model is model:
            values[field.name] = None
        elif field.related_model is not None:
            row = field.related_model._default_manager.first()
            if row is None:
                return
            values[field.name] = row
        elif not (field.primary_key and field.get_internal_type().endswith("AutoField")):
            values[field.name] = _value(field)
    model._default_manager.bulk_create([model(**values)])


def _value(field: Any) -> Any:
    kind = field.get_internal_type()
    if field.choices:
        return field.flatchoices[0][0]
    if kind in ("CharField", "TextField"):
        return TEXT[: field.max_length]
    return {
        "BinaryField": b"\0\xff\\x00\n",
        "BooleanField": True,
        "DateField": dt.date(2026, 2, 28),
        "DateTimeField": dt.datetime(2026, 10, 25, 0, 30, 0, 123456, dt.UTC),
        "DecimalField": Decimal("-1.25"),
        "FloatField": 0.1,
        "GenericIPAddressField": "2001:db8::1",
        "JSONField": {"b": [1, 1.5, None, TEXT], "a": {}},
        "UUIDField": uuid4(),
    }.get(kind, 7)


if __name__ == "__main__":
    main()
