"""Backed hands in play: the stakes behind follow a double and a split, and are settled with the hand.

Who backs a hand decides nothing. A stake goes along if its backer has chosen that and can afford it at
that moment; else what is staked stays on the first hand, and is paid by its outcome.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from accounts.ledger import transfers
from accounts.ledger.transfers import Balance
from accounts.lib.sql import optimistic
from accounts.models import Account
from tables.engine.events import HandDoubled, HandSettled, HandSplit
from tables.engine.payouts import payout
from tables.engine.player_hand import PlayerHand
from tables.models import Hand
from tables.protocol.events import BetBehindRaised, BetBehindSettled
from tables.state.behind import Backing
from tables.state.live_table import LiveTable


def follow(live: LiveTable, event: object) -> None:
    """Apply an event of a hand to the stakes behind its seat; other events have no effect."""
    match event:
        case HandDoubled(seat, hand):
            for backing in _list_backing(live, seat):
                if (added := _affordable(live, backing, hand)) > 0:
                    backing.double(hand)
                    _raise_stake(live, backing, hand, added, "double")
        case HandSplit(seat, hand):
            for backing in _list_backing(live, seat):
                added = _affordable(live, backing, hand)
                backing.split(hand, added)
                if added:
                    number = live.game.count_hands(seat)
                    _raise_stake(live, backing, hand + 1, added, f"split:{number}")
        case HandSettled(seat, hand, outcome):
            for backing in _list_backing(live, seat):
                if stake := backing.stakes[hand - 1]:
                    paid = payout(live.rules, outcome, stake)
                    backing.paid += paid
                    user = live.backers[backing.user_id]
                    live.settle_behind(seat, user, hand, stake, paid)
                    live.events.append(BetBehindSettled(seat, hand, backing.name, stake, paid))
        case _:
            pass


def build_hands(live: LiveTable, seat: int, hands: Sequence[PlayerHand]) -> Iterator[Hand]:
    """The settled hands of a seat once more for each of its backers, with the backer's amounts."""
    assert live.game.round_id is not None
    for backing in _list_backing(live, seat):
        for number, (hand, stake) in enumerate(zip(hands, backing.stakes, strict=True), start=1):
            assert hand.outcome is not None
            yield Hand(
                round_id=live.game.round_id,
                seat=seat,
                number=number,
                user_id=backing.user_id,
                cards=str(hand.hand),
                total=hand.hand.total,
                is_doubled=stake > backing.first,
                outcome=hand.outcome.value,
                stake=stake,
                payout=payout(live.rules, hand.outcome, stake),
                is_behind=True,
            )


def _list_backing(live: LiveTable, seat: int) -> list[Backing]:
    return [one for one in live.game.backed if one.seat == seat]


def _affordable(live: LiveTable, backing: Backing, hand: int) -> int:
    """What this backer adds to the stake on a hand, in hundredths: the same again, or nothing."""
    stake, user = backing.stakes[hand - 1], live.backers[backing.user_id]
    if not stake or not backing.goes_along or not user.is_active:
        return 0
    _lock_wallets(live)
    return stake if live.funds_of(user) >= stake else 0


def _lock_wallets(live: LiveTable) -> None:
    """Lock the accounts of the table, and read them, unless the write verifies that they are unchanged.

    Otherwise money that a backer spends elsewhere meanwhile would fail the player's own command.
    """
    if optimistic.is_inside() and not optimistic.is_again():
        return
    accounts: dict[int, list[Account]] = {}
    for account in live.list_accounts():
        accounts.setdefault(account.id, []).append(account)
    rows = Account.objects.select_for_update().filter(pk__in=accounts).order_by("pk")
    for pk, balance, seq in rows.values_list("pk", "balance", "seq"):
        for account in accounts[pk]:
            transfers.apply_balances(account, {pk: Balance(balance, seq)})


def _raise_stake(live: LiveTable, backing: Backing, hand: int, added: int, what: str) -> None:
    user = live.backers[backing.user_id]
    live.stake_behind(backing.seat, user, hand, added, what)
    live.events.append(BetBehindRaised(backing.seat, hand, backing.name, added))
