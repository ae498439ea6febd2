"""Operators take back announcements, closings and requests for voids."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0015_words'),
    ]

    operations = [
        migrations.AlterField(
            model_name='act',
            name='what',
            field=models.CharField(choices=[('announce', 'made an announcement'), ('unannounce', 'took back an announcement'), ('maintain', 'scheduled maintenance'), ('reopen', 'ended maintenance'), ('settings', 'changed the site settings'), ('open_table', 'opened a table'), ('edit_table', 'changed a table'), ('pause_table', 'paused a table'), ('resume_table', 'resumed a table'), ('close_table', 'closed a table'), ('keep_open', 'took back the closing of a table'), ('fill_rack', 'refilled a rack'), ('log_in', "logged in to the operators' pages"), ('reauth_failed', 'entered a wrong password'), ('edit_user', 'changed a user'), ('note', 'wrote a note'), ('freeze', 'froze a player'), ('unfreeze', 'unfroze a player'), ('silence', 'muted a player'), ('unsilence', 'unmuted a player'), ('adjust', 'adjusted a wallet'), ('reverse', 'reversed a transfer'), ('ask_void', 'requested a void'), ('refuse_void', 'refused a void'), ('withdraw_void', 'took back a request for a void'), ('void', 'voided a round'), ('answer', 'answered a report'), ('audit', 'ran the audit'), ('download', 'downloaded accounting data')], max_length=20),
        ),
    ]
