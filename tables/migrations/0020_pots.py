"""What is in the pots is at stake by the entries of the open rounds; racks get their part back."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.db import migrations, models
from django.db.models import F, Sum

AT_ONCE = 500


def empty_pots(apps: Any, editor: Any) -> None:
    """Move the dealer's part of each pot to its rack: all but the stakes of the open round.

    What the rack has won or paid already in that round goes back as well: it is posted at its end.
    """
    account = apps.get_model("accounts", "Account")
    open_rounds = apps.get_model("tables", "Round").objects.filter(finished_at=None).order_by("pk")
    of_tables = dict(open_rounds.values_list("pk", "table_id"))
    change: dict[int, int] = defaultdict(int)
    ids = list(of_tables)
    for first in range(0, len(ids), AT_ONCE):
        entries = apps.get_model("accounts", "WalletEntry").objects.filter(
            round__in=ids[first : first + AT_ONCE]
        )
        sums = entries.order_by().values_list("round").annotate(sum=Sum("amount"))
        for round_id, amount in sums:
            change[of_tables[round_id]] += int(amount)
    tables = apps.get_model("tables", "Table").objects.order_by("pk")
    for pk, rack, held in list(tables.values_list("pk", "rack_id", "pot__balance")):
        moved = held + change[pk]
        if moved:
            account.objects.filter(pk=rack).update(balance=F("balance") + moved, seq=F("seq") + 1)
        if moved or held:
            tables.filter(pk=pk).update(staked=held, rack_due=-moved)


def delete_pots(apps: Any, editor: Any) -> None:
    pots = apps.get_model("accounts", "Account").objects.filter(kind="pot")
    pots._raw_delete(pots.db)


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0011_wallet_entries"),
        ("tables", "0019_plays"),
    ]

    operations = [
        migrations.AddField(
            model_name="table", name="staked", field=models.BigIntegerField(db_default=0, default=0)
        ),
        migrations.AddField(
            model_name="table", name="rack_due", field=models.BigIntegerField(db_default=0, default=0)
        ),
        migrations.RunPython(empty_pots),
        migrations.RemoveField(model_name="table", name="pot"),
        migrations.RunPython(delete_pots),
    ]
