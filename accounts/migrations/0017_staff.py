"""Invites of operators, changes that wait for a second operator, and the time in a role."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0016_taking_back'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='user',
            options={'permissions': [('freeze_user', 'Can freeze and unfreeze players'), ('silence_user', 'Can silence players in the whole house'), ('note_user', 'Can write notes on players'), ('manage_staff', 'Can see the operators, invite some and give roles'), ('end_session', 'Can end sessions of players and operators')], 'verbose_name': 'user', 'verbose_name_plural': 'users'},
        ),
        migrations.AddField(
            model_name='user',
            name='role_since',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AlterField(
            model_name='act',
            name='what',
            field=models.CharField(choices=[('announce', 'made an announcement'), ('maintain', 'scheduled maintenance'), ('reopen', 'ended maintenance'), ('settings', 'changed the site settings'), ('open_table', 'opened a table'), ('edit_table', 'changed a table'), ('pause_table', 'paused a table'), ('resume_table', 'resumed a table'), ('close_table', 'closed a table'), ('fill_rack', 'refilled a rack'), ('log_in', "logged in to the operators' pages"), ('reauth_failed', 'entered a wrong password'), ('edit_user', 'changed a user'), ('note', 'wrote a note'), ('freeze', 'froze a player'), ('unfreeze', 'unfroze a player'), ('silence', 'muted a player'), ('unsilence', 'unmuted a player'), ('adjust', 'adjusted a wallet'), ('reverse', 'reversed a transfer'), ('ask_void', 'requested a void'), ('refuse_void', 'refused a void'), ('void', 'voided a round'), ('answer', 'answered a report'), ('audit', 'ran the audit'), ('download', 'downloaded accounting data'), ('invite', 'created an invite for an operator'), ('end_invite', 'withdrew an invite for an operator'), ('accept_invite', 'accepted an invite for an operator'), ('end_session', 'ended sessions'), ('ask_change', 'requested a change that needs a second operator'), ('approve_change', 'approved a change'), ('refuse_change', 'refused or withdrew a change'), ('take_effect', 'requested a change that took effect')], max_length=20),
        ),
        migrations.CreateModel(
            name='StaffInvite',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(max_length=150)),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('made_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('accepted_at', models.DateTimeField(null=True)),
                ('withdrawn_at', models.DateTimeField(null=True)),
                ('accepted_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('withdrawn_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='WaitingChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('limit', 'raise of a limit'), ('role', 'role for a user')], max_length=5)),
                ('name', models.CharField(max_length=150)),
                ('before', models.BigIntegerField(null=True)),
                ('after', models.BigIntegerField(null=True)),
                ('asked_at', models.DateTimeField()),
                ('takes_effect_at', models.DateTimeField()),
                ('status', models.CharField(choices=[('waiting', 'waiting for a second operator'), ('done', 'in effect'), ('refused', 'refused'), ('withdrawn', 'withdrawn'), ('replaced', 'replaced')], default='waiting', max_length=9)),
                ('decided_at', models.DateTimeField(null=True)),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'permissions': [('approve_change', 'Can approve changes that need a second operator')],
                'default_permissions': (),
                'indexes': [models.Index(condition=models.Q(('status', 'waiting')), fields=['id'], name='changes_that_wait')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('status', 'waiting'), ('user__isnull', True)), fields=('name',), name='one_waiting_raise_a_limit'), models.UniqueConstraint(condition=models.Q(('status', 'waiting'), ('user__isnull', False)), fields=('name', 'user'), name='one_waiting_role_a_user')],
            },
        ),
    ]
