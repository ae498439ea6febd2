"""Alerts, their deliveries, backups, and notices of what operators decided."""

from __future__ import annotations

import uuid
from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.contrib.auth.management import create_permissions
from django.db import migrations, models


def let_roles_see_alerts(apps: Any, editor: Any) -> None:
    """Every role sees the alerts of what it may do something about."""
    config = apps.get_app_config("tables")
    config.models_module = True
    create_permissions(config, apps=apps, verbosity=0, using=editor.connection.alias)
    config.models_module = None
    sees = apps.get_model("auth", "Permission").objects.get(
        content_type__app_label="tables", codename="view_alert"
    )
    for group in apps.get_model("auth", "Group").objects.filter(
        name__in=("floor", "cashier", "manager")
    ):
        group.permissions.add(sees)


class Migration(migrations.Migration):

    dependencies = [
        ('tables', '0038_staff'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Alert',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('report', 'a report waits for an answer'), ('void', 'a void waits for approval'), ('rack', 'a table is paused by its empty rack'), ('band', 'a result is outside of its range'), ('audit', 'the audit has failed'), ('backup', 'the last backup is too old'), ('process', 'a server process is gone')], max_length=10)),
                ('subject', models.CharField(max_length=100)),
                ('text', models.CharField(max_length=300)),
                ('path', models.CharField(max_length=200)),
                ('since', models.DateTimeField()),
                ('opened_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('seen_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-id'],
                'default_permissions': ('view',),
            },
        ),
        migrations.CreateModel(
            name='AlertDelivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('channel', models.CharField(choices=[('email', 'e-mail'), ('webhook', 'webhook')], max_length=10)),
                ('event', models.CharField(choices=[('opened', 'opened'), ('resolved', 'resolved')], max_length=10)),
                ('uid', models.UUIDField(default=uuid.uuid4)),
                ('status', models.CharField(choices=[('waiting', 'waiting'), ('sent', 'sent'), ('failed', 'given up')], default='waiting', max_length=10)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('due_at', models.DateTimeField()),
                ('tried_at', models.DateTimeField(null=True)),
                ('answer', models.CharField(blank=True, max_length=300)),
            ],
            options={
                'verbose_name_plural': 'alert deliveries',
                'ordering': ['id'],
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='AlertSchedule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('due_at', models.DateTimeField()),
                ('bands_due_at', models.DateTimeField()),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='Backup',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('epoch', models.CharField(max_length=16)),
                ('finished_at', models.DateTimeField()),
                ('name', models.CharField(max_length=100)),
                ('size', models.PositiveBigIntegerField()),
            ],
            options={
                'ordering': ['-id'],
                'default_permissions': (),
            },
        ),
        migrations.AddField(
            model_name='notice',
            name='round',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tables.round'),
        ),
        migrations.AlterField(
            model_name='notice',
            name='kind',
            field=models.CharField(choices=[('asked', 'Asked'), ('accepted', 'Accepted'), ('invited', 'Invited'), ('opened', 'Opened'), ('answered', 'Answered'), ('voided', 'Voided'), ('upheld', 'Upheld')], max_length=10),
        ),
        migrations.AlterField(
            model_name='notice',
            name='sender',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name='notice',
            constraint=models.UniqueConstraint(condition=models.Q(('round__isnull', False)), fields=('user', 'round', 'kind'), name='one_notice_a_round'),
        ),
        migrations.AddField(
            model_name='alert',
            name='seen_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='alertdelivery',
            name='alert',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='tables.alert'),
        ),
        migrations.AddIndex(
            model_name='backup',
            index=models.Index(fields=['epoch', '-finished_at'], name='backups_of_an_epoch'),
        ),
        migrations.AddIndex(
            model_name='alert',
            index=models.Index(fields=['ended_at'], name='alerts_by_end'),
        ),
        migrations.AddConstraint(
            model_name='alert',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('kind', 'subject'), name='one_open_alert_a_subject'),
        ),
        migrations.AddIndex(
            model_name='alertdelivery',
            index=models.Index(condition=models.Q(('status', 'waiting')), fields=['due_at'], name='deliveries_that_wait'),
        ),
        migrations.AddConstraint(
            model_name='alertdelivery',
            constraint=models.UniqueConstraint(fields=('alert', 'channel', 'event'), name='one_delivery_a_channel_and_event'),
        ),
        migrations.RunPython(let_roles_see_alerts, migrations.RunPython.noop),
    ]
