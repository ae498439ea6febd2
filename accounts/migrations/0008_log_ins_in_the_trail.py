"""The trail also tells of log-ins behind the counter, and of wrong passwords there."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0007_account_seq'),
    ]

    operations = [
        migrations.AlterField(
            model_name='act',
            name='what',
            field=models.CharField(choices=[('announce', 'announced'), ('maintain', 'planned maintenance'), ('reopen', 'ended maintenance'), ('settings', 'changed the settings of the house'), ('open_table', 'opened a table'), ('edit_table', 'changed a table'), ('pause_table', 'paused a table'), ('resume_table', 'resumed a table'), ('close_table', 'closed a table'), ('fill_rack', 'filled a rack'), ('log_in', 'logged in behind the counter'), ('reauth_failed', 'entered a wrong password'), ('edit_user', 'changed a user'), ('note', 'wrote a note'), ('freeze', 'froze a player'), ('unfreeze', 'unfroze a player'), ('silence', 'silenced a player'), ('unsilence', 'let a player talk again'), ('adjust', 'adjusted a wallet'), ('reverse', 'reversed a transfer'), ('ask_void', 'asked for a void'), ('refuse_void', 'refused a void'), ('void', 'voided a round'), ('answer', 'answered a report'), ('audit', 'ran the audit'), ('download', 'downloaded the books')], max_length=20),
        ),
    ]
