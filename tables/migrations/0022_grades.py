"""Grades of rounds, and totals for the leaderboard of skill. Rounds of before are not graded."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tables', '0021_game_odds'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Grade',
            fields=[
                ('result', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='grade', serialize=False, to='tables.result')),
                ('rules_key', models.CharField(max_length=20)),
                ('finished_at', models.DateTimeField()),
                ('is_public', models.BooleanField(default=False)),
                ('had_hints', models.BooleanField(db_default=False, default=False)),
                ('graded_at', models.DateTimeField(null=True)),
                ('fault', models.CharField(blank=True, default='', max_length=100)),
                ('details', models.TextField(blank=True, default='')),
                ('decisions', models.PositiveSmallIntegerField(default=0)),
                ('mistakes', models.PositiveSmallIntegerField(default=0)),
                ('cost', models.BigIntegerField(default=0)),
                ('stake', models.BigIntegerField(default=0)),
                ('expectation', models.BigIntegerField(default=0)),
                ('luck', models.BigIntegerField(default=0)),
                ('money_cost', models.BigIntegerField(default=0)),
                ('variance', models.FloatField(default=0)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-result'],
                'indexes': [models.Index(condition=models.Q(('graded_at__isnull', True)), fields=['result'], name='grades_to_do'), models.Index(fields=['user', 'finished_at'], name='grades_of_a_player')],
            },
        ),
        migrations.CreateModel(
            name='SkillStanding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_listed', models.BooleanField(db_default=False, default=False)),
                ('decisions', models.PositiveIntegerField(default=0)),
                ('cost', models.BigIntegerField(default=0)),
                ('per_hundred', models.BigIntegerField(default=0)),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='skill', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['per_hundred', 'user'],
                'indexes': [models.Index(condition=models.Q(('decisions__gte', 200), ('is_listed', True)), fields=['per_hundred', 'user'], name='leaderboard_of_skill')],
            },
        ),
    ]
