"""Pauses, voids, reports, takings, and what the operators' pages are made of."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tables', '0005_results_of_before'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ServerProcess',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=32, unique=True)),
                ('host', models.CharField(max_length=100)),
                ('pid', models.PositiveIntegerField()),
                ('started_at', models.DateTimeField()),
                ('seen_at', models.DateTimeField()),
                ('sockets', models.PositiveIntegerField(default=0)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.AlterModelOptions(
            name='round',
            options={'ordering': ['-id'], 'permissions': [('void_round', 'Can void rounds, or ask for it above the limit'), ('approve_void', 'Can approve or refuse a void that somebody else asked for')]},
        ),
        migrations.AlterModelOptions(
            name='table',
            options={'ordering': ['id'], 'permissions': [('run_table', 'Can run any table and its chat'), ('fill_rack', 'Can fill racks')]},
        ),
        migrations.AddField(
            model_name='round',
            name='voided_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='table',
            name='announced_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='table',
            name='announcement',
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.AddField(
            model_name='table',
            name='auto_filled',
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='table',
            name='coming',
            field=models.JSONField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='table',
            name='fill_limit',
            field=models.PositiveBigIntegerField(blank=True, null=True, verbose_name='most automatic fills'),
        ),
        migrations.AddField(
            model_name='table',
            name='paused_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='table',
            name='paused_because',
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.AlterField(
            model_name='result',
            name='outcome',
            field=models.CharField(choices=[('blackjack', 'blackjack'), ('win', 'win'), ('push', 'push'), ('lose', 'lose'), ('bust', 'bust'), ('surrender', 'surrender'), ('void', 'void')], max_length=10),
        ),
        migrations.CreateModel(
            name='AuditRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('started_at', models.DateTimeField()),
                ('seen_at', models.DateTimeField()),
                ('step', models.CharField(blank=True, max_length=100)),
                ('done', models.PositiveBigIntegerField(default=0)),
                ('of', models.PositiveBigIntegerField(default=0)),
                ('finished_at', models.DateTimeField(null=True)),
                ('faults', models.JSONField(default=list)),
                ('started_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Edge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rules_key', models.CharField(max_length=20, verbose_name='rules')),
                ('options', models.CharField(default='{}', max_length=500)),
                ('strategy', models.CharField(max_length=20)),
                ('rounds', models.PositiveBigIntegerField()),
                ('edge', models.FloatField()),
                ('deviation', models.FloatField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('rules_key', 'options'), name='one_edge_a_rule_set')],
            },
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('text', models.CharField(max_length=500)),
                ('answer', models.CharField(blank=True, max_length=500)),
                ('answered_at', models.DateTimeField(null=True)),
                ('answered_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='tables.round')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reports', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'permissions': [('answer_report', 'Can answer what players report')],
                'indexes': [models.Index(condition=models.Q(('answered_at__isnull', True)), fields=['id'], name='reports_that_wait')],
                'constraints': [models.UniqueConstraint(fields=('round', 'user'), name='one_report_a_player_and_round')],
            },
        ),
        migrations.CreateModel(
            name='Takings',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rules_key', models.CharField(max_length=20, verbose_name='rules')),
                ('options', models.CharField(default='{}', max_length=500)),
                ('day', models.DateField()),
                ('rounds', models.PositiveBigIntegerField(default=0)),
                ('plays', models.PositiveBigIntegerField(default=0)),
                ('staked', models.BigIntegerField(default=0)),
                ('paid', models.BigIntegerField(default=0)),
                ('bets', models.BigIntegerField(default=0)),
                ('bets_squared', models.DecimalField(decimal_places=0, default=0, max_digits=40)),
                ('void_rounds', models.PositiveBigIntegerField(default=0)),
                ('void_plays', models.PositiveBigIntegerField(default=0)),
                ('void_staked', models.BigIntegerField(default=0)),
                ('void_paid', models.BigIntegerField(default=0)),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='takings', to='tables.table')),
            ],
            options={
                'verbose_name': 'revenue',
                'verbose_name_plural': 'revenue',
                'ordering': ['-day', 'table'],
                'permissions': [('view_books', 'Can see the books of the house'), ('run_audit', 'Can run the audit')],
                'indexes': [models.Index(fields=['day'], name='takings_by_day')],
                'constraints': [models.UniqueConstraint(fields=('table', 'day', 'rules_key', 'options'), name='takings_of_a_day')],
            },
        ),
        migrations.CreateModel(
            name='Void',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.CharField(choices=[('waiting', 'waiting for a second operator'), ('done', 'void'), ('refused', 'refused')], default='waiting', max_length=7)),
                ('reason', models.CharField(max_length=300)),
                ('asked_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(null=True)),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='voids', to='tables.round')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('status', 'waiting')), fields=['id'], name='voids_that_wait')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('status', 'refused'), _negated=True), fields=('round',), name='voided_once_a_round')],
            },
        ),
    ]
