"""What the statement, the rebuy and players' own limits need."""

from __future__ import annotations

from typing import Any

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from accounts.lib.sql.append_only import make_append_only, make_changeable


def make_the_settings(apps: Any, editor: Any) -> None:
    apps.get_model("accounts", "HouseSettings").objects.create(pk=1)


def open_the_books(apps: Any, editor: Any) -> None:
    make_changeable(editor, "accounts_transfer")


def close_the_books(apps: Any, editor: Any) -> None:
    """Again: SQLite makes a new table where a column changes, and its guards go with the old."""
    make_append_only(editor, "accounts_transfer")


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_user_is_guest'),
    ]

    operations = [
        migrations.RunPython(open_the_books, close_the_books),
        migrations.CreateModel(
            name='HouseSettings',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rebuy_hours', models.PositiveSmallIntegerField(default=24, help_text='How many hours a player waits before getting more chips again.', validators=[django.core.validators.MinValueValidator(1)], verbose_name='hours between top-ups')),
            ],
            options={
                'verbose_name': 'site settings',
                'verbose_name_plural': 'site settings',
            },
        ),
        migrations.CreateModel(
            name='OwnLimit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('reminder', 'reminder'), ('daily_loss', 'daily loss'), ('break', 'break')], max_length=10)),
                ('value', models.BigIntegerField()),
                ('set_at', models.DateTimeField()),
                ('ends_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.AddField(
            model_name='user',
            name='has_own_limits',
            field=models.BooleanField(default=False, editable=False),
        ),
        migrations.AddField(
            model_name='user',
            name='history_since',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='user',
            name='is_listed',
            field=models.BooleanField(default=True, verbose_name='on the leaderboard'),
        ),
        migrations.AlterField(
            model_name='transfer',
            name='credit',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='credits', to='accounts.account'),
        ),
        migrations.AlterField(
            model_name='transfer',
            name='debit',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='debits', to='accounts.account'),
        ),
        migrations.AlterField(
            model_name='transfer',
            name='kind',
            field=models.CharField(choices=[('grant', 'starting chips'), ('stake', 'bet'), ('match', "dealer's match"), ('payout', 'payout'), ('credit', 'lost bet'), ('refund', 'returned bet'), ('fill', 'rack fill'), ('rebuy', 'more chips'), ('return', 'returned when the account was deleted')], max_length=10),
        ),
        migrations.AddIndex(
            model_name='transfer',
            index=models.Index(fields=['debit', 'id'], name='transfers_out'),
        ),
        migrations.AddIndex(
            model_name='transfer',
            index=models.Index(fields=['credit', 'id'], name='transfers_in'),
        ),
        migrations.AddIndex(
            model_name='transfer',
            index=models.Index(fields=['debit', 'kind', 'id'], name='transfers_out_by_kind'),
        ),
        migrations.AddIndex(
            model_name='transfer',
            index=models.Index(fields=['credit', 'kind', 'id'], name='transfers_in_by_kind'),
        ),
        migrations.AddIndex(
            model_name='transfer',
            index=models.Index(fields=['at'], name='transfers_by_time'),
        ),
        migrations.AddConstraint(
            model_name='housesettings',
            constraint=models.CheckConstraint(condition=models.Q(('pk', 1)), name='there_is_one_house'),
        ),
        migrations.AddField(
            model_name='ownlimit',
            name='user',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='own_limits', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddIndex(
            model_name='ownlimit',
            index=models.Index(fields=['user', 'kind'], name='limits_of_a_player'),
        ),
        migrations.RunPython(close_the_books, open_the_books),
        migrations.RunPython(make_the_settings, migrations.RunPython.noop),
    ]
