

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tables', '0003_company'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='seat',
            name='reminded_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name='Result',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rules_key', models.CharField(max_length=20, verbose_name='rules')),
                ('seat', models.PositiveSmallIntegerField()),
                ('opens_game', models.BooleanField(default=True)),
                ('finished_at', models.DateTimeField()),
                ('decisions', models.PositiveSmallIntegerField()),
                ('outcome', models.CharField(choices=[('blackjack', 'blackjack'), ('win', 'win'), ('push', 'push'), ('lose', 'lose'), ('bust', 'bust'), ('surrender', 'surrender')], max_length=10)),
                ('stake', models.BigIntegerField()),
                ('payout', models.BigIntegerField()),
                ('game', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.shoe')),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='results', to='tables.round')),
                ('table', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.table')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='results', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-finished_at', '-id'],
                'indexes': [models.Index(condition=models.Q(('opens_game', True)), fields=['user', 'finished_at', 'id'], name='results_of_a_player'), models.Index(condition=models.Q(('opens_game', True)), fields=['user', 'rules_key', 'finished_at', 'id'], name='results_by_rules'), models.Index(condition=models.Q(('opens_game', True)), fields=['user', 'table', 'finished_at', 'id'], name='results_by_table'), models.Index(condition=models.Q(('opens_game', True)), fields=['user', 'outcome', 'finished_at', 'id'], name='results_by_outcome'), models.Index(condition=models.Q(('game__isnull', False)), fields=['user', 'game'], name='results_of_a_game')],
                'constraints': [models.UniqueConstraint(fields=('user', 'round'), name='one_result_a_player_and_round')],
            },
        ),
        migrations.CreateModel(
            name='Standing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rounds', models.PositiveIntegerField(default=0)),
                ('net', models.BigIntegerField(default=0)),
                ('per_hundred', models.BigIntegerField(default=0)),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='standing', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-per_hundred', 'user'],
                'indexes': [models.Index(condition=models.Q(('rounds__gte', 50)), fields=['-per_hundred', 'user'], name='leaderboard')],
            },
        ),
        migrations.CreateModel(
            name='Tally',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rules_key', models.CharField(blank=True, max_length=20)),
                ('day', models.DateField()),
                ('rounds', models.PositiveIntegerField(default=0)),
                ('won', models.PositiveIntegerField(default=0)),
                ('lost', models.PositiveIntegerField(default=0)),
                ('pushed', models.PositiveIntegerField(default=0)),
                ('blackjacks', models.PositiveIntegerField(default=0)),
                ('busts', models.PositiveIntegerField(default=0)),
                ('doubles', models.PositiveIntegerField(default=0)),
                ('splits', models.PositiveIntegerField(default=0)),
                ('staked', models.BigIntegerField(default=0)),
                ('net', models.BigIntegerField(default=0)),
                ('biggest_win', models.BigIntegerField(default=0)),
                ('streak', models.PositiveIntegerField(default=0)),
                ('longest_streak', models.PositiveIntegerField(default=0)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='tallies', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-day'],
                'constraints': [models.UniqueConstraint(fields=('user', 'rules_key', 'day'), name='one_tally_a_day')],
            },
        ),
    ]
