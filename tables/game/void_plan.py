"""The plan of a void: what it moves for each player, and what the site pays."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from accounts.ledger import transfers as ledger_transfers
from accounts.ledger.entries import list_reversals, list_round_entries
from accounts.ledger.transfers import Movement, Play, Posting, RackResult
from accounts.models import Account, Transfer, User, WalletEntry
from accounts.staff import waiting_changes
from tables.game.chips.racks import get_minimum_for_matching, round_up_to_fills
from tables.models import Change, Result, Round, Stack, load_play_accounts

Kind = Transfer.Kind


@dataclass(frozen=True, slots=True)
class PlayerShare:
    """The effect of a void on one of the round's players. Amounts in hundredths."""

    user: User
    wallet_id: int | None
    """The wallet or stack; ``None`` for a player who never had one."""
    staked: int
    paid: int
    balance: int
    """The balance of the wallet before."""
    keeps_win: bool = False
    """Whether the bank covers the winnings, so that the void takes nothing from the player."""

    @property
    def net(self) -> int:
        """The net result of the round."""
        return self.paid - self.staked

    @property
    def moved(self) -> int:
        """The change of the wallet by the void."""
        return -self.net

    @property
    def is_gone(self) -> bool:
        """Whether the account is deleted: then the wallet must stay empty."""
        return self.user.is_deleted

    @property
    def covered(self) -> int:
        """The amount that the bank covers, because the wallet lacks or keeps the winnings."""
        return max(0, self.net if self.keeps_win else self.net - self.balance)

    @property
    def returned(self) -> int:
        """The amount that passes to the bank, because the account is deleted."""
        return max(0, self.balance - self.net) if self.is_gone else 0

    @property
    def after(self) -> int:
        """The balance of the wallet afterwards."""
        return self.balance - self.net + self.covered - self.returned


@dataclass(frozen=True, slots=True)
class VoidPlan:
    """A planned void. Amounts in hundredths."""

    round: Round
    shares: tuple[PlayerShare, ...]
    """In the order of the seats."""
    entries: tuple[WalletEntry, ...]
    """Those of the round, in their original order."""
    rack: int
    """The free chips of the rack before."""
    rack_moved: int
    """The change of the rack's free chips by the void."""
    rack_balance: int
    """The balance of the rack before, which has not the results of a round in play."""
    limit: int
    """The largest total that needs no second operator, together with ``voided_today``."""
    voided_today: int = 0
    """The sum of what the same operator has voided alone on this gaming day."""

    @property
    def fingerprint(self) -> str:
        """A text that is another one when the void would move other amounts."""
        state = "played" if self.round.finished_at is None else "over"
        shares = (
            f"{share.user.pk}:{share.net}:{share.covered}:{share.returned}" for share in self.shares
        )
        return "/".join((state, str(len(self.entries)), str(self.filled), *shares))

    @property
    def total(self) -> int:
        """The sum of all amounts won and lost."""
        return sum(abs(share.net) for share in self.shares)

    @property
    def needs_second(self) -> bool:
        """Whether a second operator must approve it."""
        return self.total > max(0, self.limit - self.voided_today)

    @property
    def covered(self) -> int:
        """The amount that the bank covers for wallets."""
        return sum(share.covered for share in self.shares)

    @property
    def filled(self) -> int:
        """The amount that the bank adds to the rack, which may have to match bets afterwards."""
        least, rules = 0, self.round.table.rules
        if rules.is_matched and self.rack_moved < 0:
            least = min(get_minimum_for_matching(rules), self.rack)
        lacking = max(least - self.rack - self.rack_moved, -self.rack_balance - self._rack_result)
        return round_up_to_fills(lacking) if lacking > 0 else 0

    @property
    def _rack_result(self) -> int:
        """What is posted to the rack: it has changed only if the round was finished."""
        return 0 if self.round.finished_at is None else self.rack_moved

    @property
    def rack_after(self) -> int:
        return self.rack + self.rack_moved + self.filled

    def movements(self) -> Iterator[Movement]:
        """The movements: amounts from the bank, the reversals, amounts to the bank.

        Reversals of bets come first, then those of payouts, so that no wallet goes below zero in
        between.
        """
        bank_id, reference = ledger_transfers.get_bank().pk, f"void:{self.round.pk}"
        for share in self.shares:
            if share.covered and share.wallet_id:
                place = f"{reference}/cover/user:{share.user.pk}"
                yield Posting(Kind.ADJUSTMENT, bank_id, share.wallet_id, share.covered, place)
        if self.filled:
            yield ledger_transfers.rack_fill(
                self.round.table.rack_id, self.filled, f"{reference}/fill"
            )
        for entry in sorted(self.entries, key=lambda entry: entry.amount > 0):
            place = f"void/{entry.place}"
            yield Play(
                Kind.REVERSAL, entry.wallet_id, -entry.amount, self.round.pk, place, entry.pk
            )
        if self._rack_result:
            yield RackResult(self.round.table.rack_id, self._rack_result)
        for share in self.shares:
            if share.returned and share.wallet_id:
                place = f"{reference}/user:{share.user.pk}/return"
                yield Posting(Kind.RETURN, share.wallet_id, bank_id, share.returned, place)


def lock_accounts(round_: Round) -> None:
    """Lock all accounts that a void of this round may change, in the order of their ids.

    Call it before :func:`plan_void`, which reads their balances.
    """
    account_ids = set(list_round_entries(round_.pk).values_list("wallet", flat=True))
    accounts = load_play_accounts(round_.table, list_player_ids(round_))
    account_ids.update(account.pk for account in accounts.values())
    account_ids |= {round_.table.rack_id, ledger_transfers.get_bank().pk}
    list(Account.objects.select_for_update().filter(pk__in=account_ids).order_by("pk"))


def plan_void(
    round_: Round, now: dt.datetime, *, keeps_wins: bool = False, voided_today: int = 0
) -> VoidPlan:
    """Plan a void of this round with the current balances.

    The players of an unfinished round are those with entries. With ``keeps_wins`` no wallet
    decreases: some hands may have been paid already.
    """
    results = Result.objects.filter(round=round_).select_related("user").order_by("seat")
    players = {result.user_id: result.user for result in results}
    entries = tuple(list_round_entries(round_.pk))
    if round_.finished_at is None:
        players = {user.pk: user for user in _load_owners(entries)}
    wallets = load_play_accounts(round_.table, players.keys())
    table = round_.table
    rack_balance = Account.objects.values_list("balance", flat=True).get(pk=table.rack_id)
    won = sum(entry.amount for entry in entries)
    return VoidPlan(
        round=round_,
        shares=tuple(
            _plan_share(user, wallets.get(pk), entries, keeps_win=keeps_wins)
            for pk, user in players.items()
        ),
        entries=entries,
        rack=rack_balance + table.rack_due,
        rack_moved=-table.rack_due if round_.finished_at is None else won,
        rack_balance=rack_balance,
        limit=waiting_changes.load_settings(now).void_limit,
        voided_today=voided_today,
    )


def list_player_ids(round_: Round) -> list[int]:
    """The ids of all players with a hand in the round, or a bet returned before the deal."""
    owners = _load_owners(list_round_entries(round_.pk))
    results = Result.objects.filter(round=round_)
    return sorted({*results.values_list("user", flat=True), *owners.values_list("pk", flat=True)})


def has_played(round_: Round, user_id: int) -> bool:
    """Whether this user has a hand in the round, or a command in an unfinished one."""
    if round_.finished_at is None:
        return Change.objects.filter(round=round_, user=user_id).exists()
    return Result.objects.with_hands().filter(round=round_, user=user_id).exists()


def is_complete(plan: VoidPlan) -> bool:
    """Whether the entries of a finished round make the results of its hands; none is reversed."""
    if list_reversals(plan.round.pk).exists():
        return False
    if plan.round.finished_at is None:
        return True
    hands = Result.objects.filter(round=plan.round).list_hands()
    return sum(hand.net for hand in hands) == sum(entry.amount for entry in plan.entries)


def _load_owners(entries: Iterable[WalletEntry]) -> QuerySet[User]:
    accounts = {entry.wallet_id for entry in entries}
    is_theirs = Q(wallet__in=accounts) | Q(
        pk__in=Stack.objects.filter(account__in=accounts).values("user")
    )
    return User.objects.filter(is_theirs).order_by("pk")


def _plan_share(
    user: User, wallet: Account | None, entries: Sequence[WalletEntry], *, keeps_win: bool
) -> PlayerShare:
    pk = wallet.pk if wallet else 0
    own = [entry for entry in entries if entry.wallet_id == pk]
    paid = sum(entry.amount for entry in own if entry.kind == Kind.PAYOUT)
    net = sum(entry.amount for entry in own)
    return PlayerShare(
        user=user,
        wallet_id=pk or None,
        staked=paid - net,
        paid=paid,
        balance=wallet.balance if wallet else 0,
        keeps_win=keeps_win,
    )
