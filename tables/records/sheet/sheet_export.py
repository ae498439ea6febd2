"""The settlement sheet as CSV, and as data for a picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from django.utils.translation import gettext, ngettext

from accounts.lib.downloads import escape_csv_formula, format_csv, format_decimal
from accounts.lib.money import format_money
from tables.records.sheet.settlement_sheet import Sheet

COLUMNS: Final = (
    "player", "stacks", "taken", "held", "net", "rounds", "biggest_win", "best_streak", "blackjacks",
)  # fmt: skip


def iter_csv(sheet: Sheet) -> Iterator[bytes]:
    """The sheet as CSV: the players, the dealer, then the payments. Amounts are in whole units."""
    dealer = gettext("The dealer")
    yield format_csv(
        [
            COLUMNS,
            *(
                (
                    escape_csv_formula(player.name), player.stacks, format_decimal(player.taken),
                    format_decimal(player.held), format_decimal(player.net), player.rounds,
                    format_decimal(player.biggest_win), player.best_streak, player.blackjacks,
                )
                for player in sheet.players
            ),
            (dealer, "", "", "", format_decimal(sheet.dealer), sheet.rounds, "", "", ""),
            (),
            ("payer", "payee", "amount"),
            *(
                (
                    escape_csv_formula(sheet.name_of(payment.payer) or dealer),
                    escape_csv_formula(sheet.name_of(payment.payee) or dealer),
                    format_decimal(payment.amount),
                )
                for payment in sheet.payments
            ),
        ]
    )  # fmt: skip


def build_picture(sheet: Sheet) -> dict[str, Any]:
    """The texts of the picture that the page draws."""
    return {
        "title": sheet.table.name,
        "subtitle": ngettext("%(rounds)s round", "%(rounds)s rounds", sheet.rounds)
        % {"rounds": sheet.rounds},
        "lines": [
            {
                "name": player.name,
                "detail": ngettext(
                    "%(stacks)s stack, %(taken)s", "%(stacks)s stacks, %(taken)s", player.stacks
                )
                % {"stacks": player.stacks, "taken": format_money(player.taken)},
                "net": format_signed(player.net),
                "sign": (player.net > 0) - (player.net < 0),
            }
            for player in sheet.players
        ]
        + [
            {
                "name": gettext("The dealer"),
                "detail": "",
                "net": format_signed(sheet.dealer),
                "sign": (sheet.dealer > 0) - (sheet.dealer < 0),
            }
        ],
        "foot": gettext("Chips of this table: play money. Nobody owes anything."),
    }


def format_signed(amount: int) -> str:
    """An amount in hundredths with its sign."""
    return f"+{format_money(amount)}" if amount > 0 else format_money(amount)
