"""A closed site: its name, who may sign up, who may create tables, invites, approvals, bans."""

from __future__ import annotations

from typing import Any

import accounts.models.site
import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.contrib.auth.management import create_permissions
from django.db import migrations, models

ROLES = {
    "floor": ("approve_user", "ban_network"),
    "manager": ("approve_user", "ban_network", "invite_user"),
}
"""The new permissions of each role."""


def make_permissions(apps: Any, editor: Any) -> None:
    """Django makes them after all migrations, which is too late for the roles."""
    config = apps.get_app_config("accounts")
    config.models_module = True
    create_permissions(config, apps=apps, verbosity=0, using=editor.connection.alias)
    config.models_module = None


def extend_roles(apps: Any, editor: Any) -> None:
    Permission = apps.get_model("auth", "Permission")
    for name, codes in ROLES.items():
        role = apps.get_model("auth", "Group").objects.get(name=name)
        found = Permission.objects.filter(content_type__app_label="accounts", codename__in=codes)
        role.permissions.add(*found)


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0020_reports_and_names'),
        ('tables', '0007_roles'),
        ('contenttypes', '0002_remove_content_type_name'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='user',
            options={'permissions': [('freeze_user', 'Can freeze and unfreeze players'), ('silence_user', 'Can silence players in the whole house'), ('note_user', 'Can write notes on players'), ('approve_user', 'Can approve and refuse new accounts')], 'verbose_name': 'user', 'verbose_name_plural': 'users'},
        ),
        migrations.AddField(
            model_name='housesettings',
            name='allows_guests',
            field=models.BooleanField(db_default=True, default=True, help_text='Without it nobody can start as a guest. Guests who play now may go on.', verbose_name='guests may play'),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='default_language',
            field=models.CharField(blank=True, db_default='', default='', max_length=10),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='first_links',
            field=models.JSONField(default=dict, editable=False),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='greeting',
            field=models.CharField(blank=True, db_default='', default='', help_text='A short text in the lobby and on the log-in page. Leave it empty for none.', max_length=300, verbose_name='greeting'),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='languages',
            field=models.CharField(blank=True, db_default='', default='', max_length=40),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='name',
            field=models.CharField(db_default='The Card Room', default='The Card Room', help_text='In the header, in titles and in e-mails. It is never translated.', max_length=24, verbose_name='name of the site'),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='rebuy_amount',
            field=models.PositiveBigIntegerField(db_default=50000, default=50000, help_text='The balance that a top-up brings a player to, in hundredths.', verbose_name='top-up to'),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='rebuy_amounts',
            field=models.JSONField(default=accounts.models.site.first_rebuy_amounts, editable=False),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='sign_up',
            field=models.CharField(choices=[('open', 'Open: everybody can sign up'), ('invite', 'By invite: only with a link that an operator has made'), ('approval', 'By approval: an operator approves each new account'), ('off', 'Off: nobody can sign up')], db_default='open', default='open', max_length=10, verbose_name='sign-up'),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='starting_money',
            field=models.PositiveBigIntegerField(db_default=50000, default=50000, help_text='What a new player gets, in hundredths.', verbose_name='starting money'),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='table_makers',
            field=models.CharField(choices=[('everybody', 'Everybody, guests too'), ('players', 'Players with an account'), ('operators', 'Only operators')], db_default='everybody', default='everybody', max_length=10, verbose_name='who may create tables'),
        ),
        migrations.AddField(
            model_name='user',
            name='approval',
            field=models.CharField(blank=True, choices=[('waiting', 'waits for approval'), ('refused', 'refused'), ('approved', 'approved')], db_default='', default='', editable=False, max_length=10),
        ),
        migrations.AddField(
            model_name='user',
            name='refused_because',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=200),
        ),
        migrations.AlterField(
            model_name='act',
            name='what',
            field=models.CharField(choices=[('announce', 'made an announcement'), ('maintain', 'scheduled maintenance'), ('reopen', 'ended maintenance'), ('settings', 'changed the site settings'), ('open_table', 'opened a table'), ('edit_table', 'changed a table'), ('pause_table', 'paused a table'), ('resume_table', 'resumed a table'), ('close_table', 'closed a table'), ('fill_rack', 'refilled a rack'), ('log_in', "logged in to the operators' pages"), ('reauth_failed', 'entered a wrong password'), ('edit_user', 'changed a user'), ('note', 'wrote a note'), ('freeze', 'froze a player'), ('unfreeze', 'unfroze a player'), ('silence', 'muted a player'), ('unsilence', 'unmuted a player'), ('adjust', 'adjusted a wallet'), ('reverse', 'reversed a transfer'), ('ask_void', 'requested a void'), ('refuse_void', 'refused a void'), ('void', 'voided a round'), ('answer', 'answered a report'), ('invite', 'created an invite to sign up'), ('withdraw', 'withdrew an invite to sign up'), ('approve', 'approved an account'), ('refuse', 'refused an account'), ('ban', 'banned a network'), ('lift_ban', 'lifted the ban of a network'), ('first_operator', 'became the first operator'), ('audit', 'ran the audit'), ('download', 'downloaded accounting data')], max_length=20),
        ),
        migrations.AlterField(
            model_name='housesettings',
            name='rebuy_hours',
            field=models.PositiveSmallIntegerField(default=24, help_text='How many hours a player waits before getting more chips again.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(8760)], verbose_name='hours between top-ups'),
        ),
        migrations.CreateModel(
            name='SignUpInvite',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('label', models.CharField(max_length=60)),
                ('places', models.PositiveSmallIntegerField()),
                ('used', models.PositiveSmallIntegerField(default=0)),
                ('until', models.DateTimeField(null=True)),
                ('made_at', models.DateTimeField()),
                ('withdrawn_at', models.DateTimeField(null=True)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'permissions': [('invite_user', 'Can create invites to sign up')],
                'default_permissions': (),
            },
        ),
        migrations.AddField(
            model_name='user',
            name='sign_up_invite',
            field=models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='accounts', to='accounts.signupinvite'),
        ),
        migrations.CreateModel(
            name='NetworkBan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('network', models.CharField(max_length=43)),
                ('reason', models.CharField(max_length=200)),
                ('until', models.DateTimeField()),
                ('made_at', models.DateTimeField()),
                ('lifted_at', models.DateTimeField(null=True)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'permissions': [('ban_network', 'Can ban addresses and networks')],
                'default_permissions': (),
                'indexes': [models.Index(fields=['until'], name='bans_by_their_end')],
            },
        ),
        migrations.AddConstraint(
            model_name='signupinvite',
            constraint=models.CheckConstraint(condition=models.Q(('used__lte', models.F('places'))), name='an_invite_is_used_as_often_as_it_has_places'),
        ),
        migrations.RunPython(make_permissions, migrations.RunPython.noop),
        migrations.RunPython(extend_roles, migrations.RunPython.noop),
    ]
