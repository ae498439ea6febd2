"""Stored rounds as the grading reads them: changes, earlier cards of the shoe, funds."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from django.db.models import Sum

from accounts.ledger import gaming_days
from accounts.ledger.entries import find_first_seqs
from accounts.models import Transfer, User, WalletEntry
from accounts.users import limits
from tables.advice.grading import (
    Funds,
    GradedSeat,
    StoredChange,
    UngradableRound,
    grade_round,
)
from tables.engine.cards import Card, parse_cards
from tables.engine.legal_actions import PLENTY
from tables.models import Change, Result, Round, load_play_accounts
from tables.models.hands import DamagedHands
from tables.protocol import codec
from tables.protocol.change_body import DamagedBody
from tables.protocol.commands import Choice

MOST_CHANGES: Final = 500
"""The limit of changes to read of a round: more than any round has."""
_OF_PLAY: Final = (Transfer.Kind.STAKE, Transfer.Kind.PAYOUT, Transfer.Kind.REFUND)


def grade_stored_round(round_id: int) -> dict[int, GradedSeat]:
    """Grade the seats of a settled round. It only reads. Raises :class:`UngradableRound`."""
    round_ = Round.objects.select_related("shoe", "table").get(pk=round_id)
    if round_.is_broken_off:
        raise UngradableRound("the round was broken off")
    rules = round_.rules
    if rules.keeps_its_shoe and round_.first_card is None:
        raise UngradableRound("its place in the shoe is not stored")
    players = dict(Result.objects.own().filter(round=round_).values_list("user", "seat"))
    rows = Change.objects.filter(round=round_).order_by("seq")[:MOST_CHANGES]
    try:
        changes = [_read_change(row, players) for row in rows]
        earlier_cards = tuple(_iter_earlier_cards(round_)) if rules.keeps_its_shoe else ()
    except (DamagedBody, DamagedHands) as error:
        raise UngradableRound(str(error)) from error
    times = [row.at for row in rows]
    users = {seat: user_id for user_id, seat in players.items()}
    funds = _find_funds(round_, users, times)
    first = (round_.first_card or 0) if rules.keeps_its_shoe else 0
    return grade_round(rules, changes, first_card=first, earlier_cards=earlier_cards, funds=funds)


def _read_change(row: Change, seats: Mapping[int, int]) -> StoredChange:
    if row.user_id is None or row.user_id not in seats or not row.command:
        return StoredChange(row.events)
    try:
        command = codec.decode_command(row.command)
    except codec.FrameError:
        return StoredChange(row.events)
    if not isinstance(command, Choice):
        return StoredChange(row.events)
    return StoredChange(row.events, command.action, seats[row.user_id])


def _iter_earlier_cards(round_: Round) -> Iterator[Card]:
    """The cards of the earlier rounds of the same shoe. All of them were turned over."""
    earlier = Round.objects.filter(
        shoe=round_.shoe_id, first_card__lt=round_.first_card, finished_at__isnull=False
    )
    dealers = dict(earlier.values_list("pk", "dealer_cards"))
    for cards in dealers.values():
        yield from parse_cards(cards)
    for hand in Result.objects.own().filter(round__in=list(dealers)).list_hands():
        yield from parse_cards(hand.cards)


def _find_funds(round_: Round, users: Mapping[int, int], times: list[dt.datetime]) -> Funds:
    """The funds of a seat before a change, from the entries of its wallet."""

    @cache
    def funds(seat: int, number: int) -> int:
        user, at = User.objects.get(pk=users[seat]), times[number]
        wallet = load_play_accounts(round_.table, [user.pk])[user.pk]
        entries = WalletEntry.objects.filter(wallet=wallet).order_by()
        (after,) = find_first_seqs(wallet.pk, [at])
        before = entries.filter(seq=after - 1).values_list("balance", flat=True).first() or 0
        # Stakes of this round with the same time are earlier ones: this change raises none.
        same = entries.filter(round=round_.pk, at=at, seq__gte=after, kind=Transfer.Kind.STAKE)
        balance = before + (same.aggregate(sum=Sum("amount"))["sum"] or 0)
        if round_.table.has_chips:
            return balance
        return min(balance, _find_remaining_loss(user, wallet.pk, at, after))

    return funds


def _find_remaining_loss(user: User, wallet_id: int, at: dt.datetime, after: int) -> int:
    """What the player's own daily limit left to stake before the entry ``after``."""
    daily_loss = limits.load_current_limits(user, at).daily_loss
    if daily_loss is None:
        return PLENTY
    (first,) = find_first_seqs(wallet_id, [gaming_days.load().today(at)[1]])
    today = WalletEntry.objects.filter(
        wallet=wallet_id, seq__gte=first, seq__lt=after, kind__in=_OF_PLAY, reverses=None
    )
    return daily_loss + int(today.order_by().aggregate(sum=Sum("amount"))["sum"] or 0)
