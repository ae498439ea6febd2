"""Settings of alerts: who is called, how, and when."""

from __future__ import annotations

from django.db import migrations, models

import accounts.models.alerts


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0018_second_factor'),
    ]

    operations = [
        migrations.AddField(
            model_name='housesettings',
            name='alert_backup_hours',
            field=models.PositiveSmallIntegerField(db_default=26, default=26, help_text='How old the last backup may be; 0 if backups are not made by this program. 26 hours are a day, and time for the backup itself.', verbose_name='hours between backups'),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='alert_email_kinds',
            field=models.CharField(blank=True, default=accounts.models.alerts.list_all_kinds, max_length=200, verbose_name='alerts by e-mail'),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='alert_emails',
            field=models.TextField(blank=True, db_default='', default='', help_text='One address a line. They are called when something waits or fails.', verbose_name='e-mail addresses for alerts'),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='alert_report_minutes',
            field=models.PositiveSmallIntegerField(db_default=15, default=15, help_text='How long a report may wait for an answer before anybody is called; 0: at once.', verbose_name='minutes before a report calls'),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='alert_resolved',
            field=models.BooleanField(db_default=True, default=True, help_text='Send a second message when what was reported is in order again.', verbose_name='say also when it is over'),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='alert_webhook',
            field=models.CharField(blank=True, db_default='', default='', max_length=500, verbose_name='webhook'),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='alert_webhook_kinds',
            field=models.CharField(blank=True, default=accounts.models.alerts.list_all_kinds, max_length=200, verbose_name='alerts by webhook'),
        ),
        migrations.AddField(
            model_name='housesettings',
            name='alert_webhook_secret',
            field=models.CharField(default=accounts.models.alerts.generate_secret, editable=False, max_length=80),
        ),
        migrations.AlterField(
            model_name='act',
            name='what',
            field=models.CharField(choices=[('announce', 'made an announcement'), ('maintain', 'scheduled maintenance'), ('reopen', 'ended maintenance'), ('settings', 'changed the site settings'), ('open_table', 'opened a table'), ('edit_table', 'changed a table'), ('pause_table', 'paused a table'), ('resume_table', 'resumed a table'), ('close_table', 'closed a table'), ('fill_rack', 'refilled a rack'), ('log_in', "logged in to the operators' pages"), ('reauth_failed', 'entered a wrong password'), ('edit_user', 'changed a user'), ('note', 'wrote a note'), ('freeze', 'froze a player'), ('unfreeze', 'unfroze a player'), ('silence', 'muted a player'), ('unsilence', 'unmuted a player'), ('adjust', 'adjusted a wallet'), ('reverse', 'reversed a transfer'), ('ask_void', 'requested a void'), ('refuse_void', 'refused a void'), ('void', 'voided a round'), ('answer', 'answered a report'), ('audit', 'ran the audit'), ('download', 'downloaded accounting data'), ('alert_seen', 'marked an alert as seen'), ('alert_test', 'sent a test alert'), ('alert_secret', 'changed the webhook secret')], max_length=20),
        ),
    ]
