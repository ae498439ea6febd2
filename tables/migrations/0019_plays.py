"""The hands of a player in a round become a part of the result, and the indexes fewer.

It is atomic, so that one that was interrupted begins again.
"""

from __future__ import annotations

from typing import Any

from django.db import migrations, models
from django.db.models import Exists, OuterRef, Q

# In SQL of both databases, so that a million hands need no memory. All values are plain words.
MOVE_HANDS = """
    UPDATE tables_result SET hands = COALESCE((
        SELECT '[' || {join}(one, ',') || ']' FROM (
            SELECT '["' || cards || '",' || total || ',' || CAST(is_doubled AS integer) || ',"'
                || outcome || '",' || stake || ',' || payout
                || CASE WHEN insurance_stake = 0 AND insurance_payout = 0 THEN ''
                    ELSE ',' || insurance_stake || ',' || insurance_payout END
                || ']' AS one
            FROM tables_hand
            WHERE tables_hand.round_id = tables_result.round_id
                AND tables_hand.user_id = tables_result.user_id
            ORDER BY number
        ) AS own
    ), '')
"""


def move_hands(apps: Any, editor: Any) -> None:
    """Copy all hands. Raises ``RuntimeError`` if a hand has no result: then nothing is changed."""
    own = apps.get_model("tables", "Result").objects.filter(
        round=OuterRef("round"), user=OuterRef("user")
    )
    left = apps.get_model("tables", "Hand").objects.filter(~Exists(own)).first()
    if left is not None:
        raise RuntimeError(f"user {left.user_id} has no result in round {left.round_id}")
    join = "string_agg" if editor.connection.vendor == "postgresql" else "group_concat"
    editor.execute(MOVE_HANDS.format(join=join))


def move_permission(apps: Any, editor: Any) -> None:
    """Who could see hands can see those of results: roles keep the permission."""
    types = apps.get_model("contenttypes", "ContentType").objects
    of_hands = types.filter(app_label="tables", model="hand").first()
    if of_hands is None:
        return
    of_results, _ = types.get_or_create(app_label="tables", model="result")
    permissions = apps.get_model("auth", "Permission").objects.filter(codename="view_hand")
    if not permissions.filter(content_type=of_results).exists():
        permissions.filter(content_type=of_hands).update(content_type=of_results)
    of_hands.delete()  # with the permissions to add, change and delete hands


class Migration(migrations.Migration):

    dependencies = [
        ("tables", "0018_uncounted_rounds"),
    ]

    operations = [
        # Indexes first: SQLite copies the table.
        migrations.RemoveIndex("result", "results_by_rules"),
        migrations.RemoveIndex("result", "results_by_table"),
        migrations.RemoveIndex("result", "results_by_outcome"),
        migrations.RemoveIndex("result", "results_of_a_player"),
        migrations.AddField("result", "hands", models.TextField(blank=True, default="")),
        migrations.RunPython(move_hands, migrations.RunPython.noop),
        migrations.DeleteModel("Hand"),
        migrations.RunPython(move_permission, migrations.RunPython.noop),
        migrations.AlterModelOptions(
            "result",
            {
                "ordering": ["-finished_at", "-id"],
                "permissions": [("view_hand", "Can view hand")],
            },
        ),
        migrations.AddIndex(
            "result",
            models.Index(
                fields=["user", "finished_at", "table", "rules_key"],
                name="results_of_a_player",
                condition=Q(("opens_game", True)),
            ),
        ),
        migrations.AddIndex(
            "result",
            models.Index(
                fields=["user", "outcome", "finished_at"],
                name="results_of_rare_outcomes",
                condition=Q(
                    ("opens_game", True),
                    Q(
                        ("outcome", "blackjack"),
                        ("outcome", "push"),
                        ("outcome", "surrender"),
                        ("outcome", "void"),
                        _connector="OR",
                    ),
                ),
            ),
        ),
        migrations.AddIndex(
            "result",
            models.Index(
                fields=["user", "finished_at"],
                name="games_of_a_player",
                condition=Q(("game__isnull", False), ("opens_game", True)),
            ),
        ),
    ]
