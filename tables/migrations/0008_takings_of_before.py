"""What the tables made in the rounds that were played before it was written down."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec
from django.db import migrations

CHUNK = 500


def write_takings(apps: Any, editor: Any) -> None:
    """One walk over all settled rounds; only the sums stay in memory."""
    rounds = apps.get_model("tables", "Round").objects.order_by("pk")
    rounds = rounds.filter(finished_at__isnull=False, dealt_at__isnull=False)
    made: dict[tuple[int, Any, str, str], list[int]] = defaultdict(lambda: [0] * 6)
    for round_ in rounds.prefetch_related("hands").iterator(chunk_size=CHUNK):
        options = msgspec.json.encode(dict(sorted(round_.rules_options.items()))).decode()
        day = made[round_.table_id, round_.finished_at.date(), round_.rules_key, options]
        day[0] += 1
        for hand in round_.hands.all():
            day[2] += hand.stake + hand.insurance_stake
            day[3] += hand.payout + hand.insurance_payout
            if hand.number == 1:
                bet = hand.stake // 2 if hand.is_doubled else hand.stake
                day[1] += 1
                day[4] += bet
                day[5] += bet * bet
    Takings = apps.get_model("tables", "Takings")
    names = ("rounds", "plays", "staked", "paid", "bets", "bets_squared")
    Takings.objects.bulk_create(
        (
            Takings(table_id=table, day=day, rules_key=key, options=options, **dict(zip(names, sums)))
            for (table, day, key, options), sums in made.items()
        ),
        batch_size=CHUNK,
    )


class Migration(migrations.Migration):
    dependencies = [("tables", "0007_roles")]
    operations = [migrations.RunPython(write_takings, migrations.RunPython.noop)]
