"""Users may choose a language."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0008_log_ins_in_the_trail'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='language',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=10),
        ),
    ]
