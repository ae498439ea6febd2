"""Tables with chips of their own, and the stacks of their players."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0012_chips'),
        ('tables', '0030_bans'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='table',
            name='stack_size',
            field=models.PositiveBigIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='table',
            name='top_ups',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.CreateModel(
            name='Stack',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('opened_at', models.DateTimeField()),
                ('top_ups', models.PositiveSmallIntegerField(default=0)),
                ('asked_at', models.DateTimeField(blank=True, null=True)),
                ('account', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='stack', to='accounts.account')),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='stacks', to='tables.table')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='stacks', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.AddField(
            model_name='seat',
            name='stack',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.stack'),
        ),
        migrations.AddConstraint(
            model_name='stack',
            constraint=models.UniqueConstraint(fields=('table', 'user'), name='one_stack_a_player_and_table'),
        ),
    ]
