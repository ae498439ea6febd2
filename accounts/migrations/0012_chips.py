"""Accounts of table chips, and their kinds of transfers."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0011_wallet_entries'),
    ]

    operations = [
        migrations.AlterField(
            model_name='account',
            name='kind',
            field=models.CharField(choices=[('wallet', 'wallet'), ('rack', 'rack'), ('stack', 'stack'), ('bank', 'bank')], max_length=6),
        ),
        migrations.AlterField(
            model_name='bookday',
            name='credit_kind',
            field=models.CharField(choices=[('wallet', 'wallet'), ('rack', 'rack'), ('stack', 'stack'), ('bank', 'bank')], max_length=6),
        ),
        migrations.AlterField(
            model_name='bookday',
            name='debit_kind',
            field=models.CharField(choices=[('wallet', 'wallet'), ('rack', 'rack'), ('stack', 'stack'), ('bank', 'bank')], max_length=6),
        ),
        migrations.AlterField(
            model_name='bookday',
            name='kind',
            field=models.CharField(choices=[('grant', 'starting chips'), ('stake', 'bet'), ('payout', 'payout'), ('refund', 'returned bet'), ('fill', 'rack fill'), ('rebuy', 'more chips'), ('return', 'returned when the account was deleted'), ('adjustment', 'adjusted by an operator'), ('reversal', 'reversed'), ('buy_in', 'first stack of table chips'), ('top_up', 'another stack of table chips'), ('cash_out', 'table chips returned to the bank')], max_length=10),
        ),
        migrations.AlterField(
            model_name='transfer',
            name='kind',
            field=models.CharField(choices=[('grant', 'starting chips'), ('stake', 'bet'), ('payout', 'payout'), ('refund', 'returned bet'), ('fill', 'rack fill'), ('rebuy', 'more chips'), ('return', 'returned when the account was deleted'), ('adjustment', 'adjusted by an operator'), ('reversal', 'reversed'), ('buy_in', 'first stack of table chips'), ('top_up', 'another stack of table chips'), ('cash_out', 'table chips returned to the bank')], max_length=10),
        ),
        migrations.AlterField(
            model_name='walletentry',
            name='kind',
            field=models.CharField(choices=[('grant', 'starting chips'), ('stake', 'bet'), ('payout', 'payout'), ('refund', 'returned bet'), ('fill', 'rack fill'), ('rebuy', 'more chips'), ('return', 'returned when the account was deleted'), ('adjustment', 'adjusted by an operator'), ('reversal', 'reversed'), ('buy_in', 'first stack of table chips'), ('top_up', 'another stack of table chips'), ('cash_out', 'table chips returned to the bank')], max_length=10),
        ),
    ]
