"""Taking back a request for a void."""

from __future__ import annotations

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tables', '0036_words'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='void',
            name='voided_once_a_round',
        ),
        migrations.AlterField(
            model_name='void',
            name='status',
            field=models.CharField(choices=[('waiting', 'waiting for a second operator'), ('done', 'void'), ('refused', 'refused'), ('withdrawn', 'taken back')], default='waiting', max_length=9),
        ),
        migrations.AddConstraint(
            model_name='void',
            constraint=models.UniqueConstraint(condition=models.Q(('status__in', ['refused', 'withdrawn']), _negated=True), fields=('round',), name='voided_once_a_round'),
        ),
    ]
