"""Each change of a wallet becomes an entry. Transfers that only played are removed.

An entry has the id of its transfer. The other side of play, the pots, is taken apart in
``tables.0020_pots``.
"""

from __future__ import annotations

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from accounts.lib.sql.append_only import make_append_only, make_changeable
from accounts.lib.sql.time_index import TimeIndex

KINDS = [('grant', 'starting chips'), ('stake', 'bet'), ('payout', 'payout'), ('refund', 'returned bet'), ('fill', 'rack fill'), ('rebuy', 'more chips'), ('return', 'returned when the account was deleted'), ('adjustment', 'adjusted by an operator'), ('reversal', 'reversed')]
ACCOUNTS = [('wallet', 'wallet'), ('rack', 'rack'), ('bank', 'bank')]

# The newest entry of a wallet has the number that the wallet is at. The reference of a bet, payout or
# returned bet is "round:812/seat:2/hand:1/payout"; its reversal is named after it.
INSERT = """
INSERT INTO accounts_walletentry
  (id, wallet_id, seq, kind, amount, balance, at, by_id, round, place, transfer_id, reverses_id)
SELECT
  id, wallet, CASE WHEN seq > total THEN seq - total ELSE 0 END + number, kind, amount, balance, at, by_id,
  CASE WHEN is_play THEN CAST(SUBSTR(purpose, 7, {position}(purpose, '/') - 7) AS {integer}) END,
  CASE WHEN NOT is_play THEN '' WHEN reverses_id IS NULL THEN '' ELSE 'void/' END
    || CASE WHEN is_play THEN SUBSTR(purpose, {position}(purpose, '/') + 1) ELSE '' END,
  CASE WHEN is_play THEN NULL ELSE id END,
  reverses_id
FROM (
  SELECT
    moved.id, wallet.id AS wallet, wallet.seq, moved.kind, moved.at, moved.by_id, moved.reverses_id,
    CASE WHEN debit.kind = 'wallet' THEN -moved.amount ELSE moved.amount END AS amount,
    CASE WHEN debit.kind = 'wallet' THEN moved.debit_balance ELSE moved.credit_balance END AS balance,
    debit.kind <> 'bank' AND credit.kind <> 'bank' AS is_play,
    COALESCE(original.reference, moved.reference) AS purpose,
    ROW_NUMBER() OVER (PARTITION BY wallet.id ORDER BY moved.id) AS number,
    COUNT(*) OVER (PARTITION BY wallet.id) AS total
  FROM accounts_transfer AS moved
  JOIN accounts_account AS debit ON debit.id = moved.debit_id
  JOIN accounts_account AS credit ON credit.id = moved.credit_id
  JOIN accounts_account AS wallet
    ON wallet.id = CASE WHEN debit.kind = 'wallet' THEN debit.id ELSE credit.id END
  LEFT JOIN accounts_transfer AS original ON original.id = moved.reverses_id
  WHERE wallet.kind = 'wallet'
) AS changes
ORDER BY changes.id
"""

COUNT = """
UPDATE accounts_account
SET seq = (SELECT MAX(seq) FROM accounts_walletentry WHERE wallet_id = accounts_account.id)
WHERE kind = 'wallet' AND EXISTS (
  SELECT 1 FROM accounts_walletentry WHERE wallet_id = accounts_account.id
)
"""

KEEP = """
CREATE TEMPORARY TABLE kept_transfers AS
SELECT moved.* FROM accounts_transfer AS moved
JOIN accounts_account AS debit ON debit.id = moved.debit_id
JOIN accounts_account AS credit ON credit.id = moved.credit_id
WHERE debit.kind = 'bank' OR credit.kind = 'bank'
"""


def write_entries(apps: Any, editor: Any) -> None:
    is_sqlite = editor.connection.vendor == "sqlite"
    position, integer = ("instr", "INTEGER") if is_sqlite else ("strpos", "bigint")
    with editor.connection.cursor() as cursor:
        cursor.execute(INSERT.format(position=position, integer=integer))
        cursor.execute(COUNT)
        if not is_sqlite:
            cursor.execute(
                "SELECT setval(pg_get_serial_sequence('accounts_walletentry', 'id'),"
                " (SELECT MAX(id) FROM accounts_walletentry))"
            )
    make_append_only(editor, "accounts_walletentry")


def remove_play(apps: Any, editor: Any) -> None:
    """Most transfers go: to write the others again is quicker than to delete row by row."""
    make_changeable(editor, "accounts_transfer")
    is_sqlite = editor.connection.vendor == "sqlite"
    with editor.connection.cursor() as cursor:
        cursor.execute(KEEP)
        cursor.execute("DELETE FROM accounts_transfer" if is_sqlite else "TRUNCATE accounts_transfer")
        cursor.execute("INSERT INTO accounts_transfer SELECT * FROM kept_transfers ORDER BY id")
        cursor.execute("DROP TABLE kept_transfers")
        if not is_sqlite:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # before the table is altered
    make_append_only(editor, "accounts_transfer")


def forget_sums(apps: Any, editor: Any) -> None:
    """Past days are summed again, without pots."""
    apps.get_model("accounts", "BookDay").objects.all().delete()


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0010_names_of_any_script'),
        ('tables', '0016_numbers_at_the_table'),  # earlier ones read transfers of rounds
    ]

    operations = [
        migrations.AlterField(
            model_name='account',
            name='kind',
            field=models.CharField(choices=ACCOUNTS, max_length=6),
        ),
        migrations.AlterField(
            model_name='bookday',
            name='credit_kind',
            field=models.CharField(choices=ACCOUNTS, max_length=6),
        ),
        migrations.AlterField(
            model_name='bookday',
            name='debit_kind',
            field=models.CharField(choices=ACCOUNTS, max_length=6),
        ),
        migrations.AlterField(
            model_name='bookday',
            name='kind',
            field=models.CharField(choices=KINDS, max_length=10),
        ),
        migrations.AlterField(
            model_name='transfer',
            name='kind',
            field=models.CharField(choices=KINDS, max_length=10),
        ),
        migrations.CreateModel(
            name='WalletEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seq', models.BigIntegerField()),
                ('kind', models.CharField(choices=KINDS, max_length=10)),
                ('amount', models.BigIntegerField()),
                ('balance', models.BigIntegerField()),
                ('at', models.DateTimeField()),
                ('round', models.BigIntegerField(null=True)),
                ('place', models.CharField(blank=True, max_length=60)),
                ('by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reverses', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reversals', to='accounts.walletentry')),
                ('transfer', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='accounts.transfer')),
                ('wallet', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='accounts.account')),
            ],
            options={
                'verbose_name_plural': 'wallet entries',
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('kind__in', ['stake', 'payout']), _negated=True), fields=['wallet', 'kind', 'seq'], name='entries_by_rare_kind'), TimeIndex(fields=['at'], name='entries_by_time')],
                'constraints': [models.UniqueConstraint(fields=('wallet', 'seq'), name='a_wallet_counts_its_entries'), models.UniqueConstraint(condition=models.Q(('round__isnull', False)), fields=('round', 'place'), name='entries_of_a_round_are_unique'), models.UniqueConstraint(condition=models.Q(('transfer__isnull', False)), fields=('transfer',), name='a_transfer_has_one_entry'), models.UniqueConstraint(condition=models.Q(('reverses__isnull', False)), fields=('reverses',), name='entries_are_reversed_once'), models.CheckConstraint(condition=models.Q(models.Q(('round__isnull', False), ('transfer__isnull', True)), models.Q(('place', ''), ('round__isnull', True), ('transfer__isnull', False)), _connector='OR'), name='entries_have_a_round_or_a_transfer'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'reversal'), ('reverses__isnull', False)), models.Q(models.Q(('kind', 'reversal'), _negated=True), ('reverses__isnull', True)), _connector='OR'), name='reversals_and_only_they_reverse_an_entry'), models.CheckConstraint(condition=models.Q(('amount', 0), _negated=True), name='entries_change_something'), models.CheckConstraint(condition=models.Q(('balance__gte', 0)), name='entries_end_at_zero_or_more')],
            },
        ),
        migrations.RunPython(write_entries),
        migrations.RunPython(remove_play),
        migrations.RunPython(forget_sums),
    ]
