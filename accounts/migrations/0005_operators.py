"""Operators: what they did, reversals, freezing, and the limits of the house."""

from __future__ import annotations

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from accounts.lib.sql.append_only import make_append_only, make_changeable


def open_the_books(apps: Any, editor: Any) -> None:
    make_changeable(editor, "accounts_transfer")


def close_the_books(apps: Any, editor: Any) -> None:
    """Again: SQLite makes a new table where a column changes, and its guards go with the old."""
    make_append_only(editor, "accounts_transfer")


def close_the_trail(apps: Any, editor: Any) -> None:
    make_append_only(editor, "accounts_act")


def open_the_trail(apps: Any, editor: Any) -> None:
    make_changeable(editor, "accounts_act")


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0004_books_limits_and_settings'),
    ]

    operations = [
        migrations.RunPython(open_the_books, close_the_books),
        migrations.CreateModel(
            name='Act',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('what', models.CharField(choices=[('announce', 'made an announcement'), ('maintain', 'scheduled maintenance'), ('reopen', 'ended maintenance'), ('settings', 'changed the site settings'), ('open_table', 'opened a table'), ('edit_table', 'changed a table'), ('pause_table', 'paused a table'), ('resume_table', 'resumed a table'), ('close_table', 'closed a table'), ('fill_rack', 'refilled a rack'), ('edit_user', 'changed a user'), ('note', 'wrote a note'), ('freeze', 'froze a player'), ('unfreeze', 'unfroze a player'), ('silence', 'muted a player'), ('unsilence', 'unmuted a player'), ('adjust', 'adjusted a wallet'), ('reverse', 'reversed a transfer'), ('ask_void', 'requested a void'), ('refuse_void', 'refused a void'), ('void', 'voided a round'), ('answer', 'answered a report'), ('audit', 'ran the audit'), ('download', 'downloaded accounting data')], max_length=20)),
                ('subject', models.CharField(max_length=40)),
                ('before', models.JSONField(null=True)),
                ('after', models.JSONField(null=True)),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('address', models.GenericIPAddressField(null=True)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='BookDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('kind', models.CharField(choices=[('grant', 'starting chips'), ('stake', 'bet'), ('match', "dealer's match"), ('payout', 'payout'), ('credit', 'lost bet'), ('refund', 'returned bet'), ('fill', 'rack fill'), ('rebuy', 'more chips'), ('return', 'returned when the account was deleted'), ('adjustment', 'adjusted by an operator'), ('reversal', 'reversed')], max_length=10)),
                ('debit_kind', models.CharField(choices=[('wallet', 'wallet'), ('rack', 'rack'), ('pot', 'pot'), ('bank', 'bank')], max_length=6)),
                ('credit_kind', models.CharField(choices=[('wallet', 'wallet'), ('rack', 'rack'), ('pot', 'pot'), ('bank', 'bank')], max_length=6)),
                ('count', models.PositiveBigIntegerField()),
                ('amount', models.BigIntegerField()),
            ],
            options={
                'ordering': ['day', 'id'],
            },
        ),
        migrations.AlterModelOptions(
            name='housesettings',
            options={'permissions': [('announce', 'Can announce something to tables'), ('maintain', 'Can close the house for maintenance')], 'verbose_name': 'site settings', 'verbose_name_plural': 'site settings'},
        ),
        migrations.AlterModelOptions(
            name='transfer',
            options={'ordering': ['-id'], 'permissions': [('adjust_wallet', 'Can adjust wallets, within the limits of the house'), ('adjust_without_limit', 'Can adjust wallets by any amount')]},
        ),
        migrations.AlterModelOptions(
            name='user',
            options={'permissions': [('freeze_user', 'Can freeze and unfreeze players'), ('silence_user', 'Can silence players in the whole house'), ('note_user', 'Can write notes on players')], 'verbose_name': 'user', 'verbose_name_plural': 'users'},
        ),
        migrations.AddField(
            model_name='housesettings',
            name='adjustment_day_limit',
            field=models.PositiveBigIntegerField(default=500000, help_text='The most one cashier can adjust per day (UTC), in hundredths.', verbose_name='maximum adjustments per day'),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='adjustment_limit',
            field=models.PositiveBigIntegerField(default=100000, help_text='The most a cashier can adjust in one adjustment, in hundredths.', verbose_name='maximum per adjustment'),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='announced_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='announcement',
            field=models.CharField(blank=True, editable=False, max_length=200),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='maintenance_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='maintenance_says',
            field=models.CharField(blank=True, editable=False, max_length=200),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='void_limit',
            field=models.PositiveBigIntegerField(default=100000, help_text='A void that moves more than this, in hundredths, needs a second operator.', verbose_name='maximum void without approval'),
        ),
        migrations.AddField(
            model_name='transfer',
            name='reverses',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reversals', to='accounts.transfer'),
        ),
        migrations.AddField(
            model_name='user',
            name='frozen_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='user',
            name='frozen_because',
            field=models.CharField(blank=True, editable=False, max_length=200),
        ),
        migrations.AddField(
            model_name='user',
            name='silenced_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AlterField(
            model_name='transfer',
            name='kind',
            field=models.CharField(choices=[('grant', 'starting chips'), ('stake', 'bet'), ('match', "dealer's match"), ('payout', 'payout'), ('credit', 'lost bet'), ('refund', 'returned bet'), ('fill', 'rack fill'), ('rebuy', 'more chips'), ('return', 'returned when the account was deleted'), ('adjustment', 'adjusted by an operator'), ('reversal', 'reversed')], max_length=10),
        ),
        migrations.AddConstraint(
            model_name='transfer',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'reversal'), ('reverses__isnull', False)), models.Q(models.Q(('kind', 'reversal'), _negated=True), ('reverses__isnull', True)), _connector='OR'), name='reversals_and_only_they_reverse_something'),
        ),
        migrations.AddConstraint(
            model_name='transfer',
            constraint=models.UniqueConstraint(condition=models.Q(('reverses__isnull', False)), fields=('reverses',), name='transfers_are_reversed_once'),
        ),
        migrations.AddField(
            model_name='act',
            name='by',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='acts', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name='bookday',
            constraint=models.UniqueConstraint(fields=('day', 'kind', 'debit_kind', 'credit_kind'), name='a_day_is_summed_once'),
        ),
        migrations.AddIndex(
            model_name='act',
            index=models.Index(fields=['subject', '-id'], name='acts_on_a_subject'),
        ),
        migrations.AddIndex(
            model_name='act',
            index=models.Index(fields=['by', '-id'], name='acts_of_an_operator'),
        ),
        migrations.AddIndex(
            model_name='act',
            index=models.Index(fields=['what', '-id'], name='acts_of_a_kind'),
        ),
        migrations.RunPython(close_the_books, open_the_books),
        migrations.RunPython(close_the_trail, open_the_trail),
    ]
