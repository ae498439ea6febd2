"""Stacks: chips of one table, from the bank for everyone who sits down, and back when it closes.

Every change of a stack locks its table, so there are no two at the same time.
"""

from __future__ import annotations

from typing import Final

from accounts.ledger import transfers
from accounts.ledger.transfers import Posting
from accounts.lib.money import format_money_lazy
from accounts.models import Account, Transfer, User
from tables.engine.errors import RuleViolation
from tables.models import Seat, Stack
from tables.protocol.events import ToppedUp, TopUpAsked
from tables.state.live_table import LiveTable

MOST_TOP_UPS: Final = 100
"""The limit of further stacks of one player, also for the host."""


def get_or_open(live: LiveTable, user: User) -> Stack:
    """The stack of a player who sits down; the first time, a full one. The table is locked."""
    stack = Stack.objects.select_related("account").filter(table=live.row, user=user).first()
    if stack is not None:
        return stack
    stack = Stack.objects.create(
        table=live.row,
        user=user,
        account=transfers.open_account(Account.Kind.STACK),
        opened_at=live.now,
    )
    _issue(live, stack, Transfer.Kind.BUY_IN, "buy-in")
    return stack


def take(live: LiveTable, user_id: int) -> None:
    """Give another stack to a player who takes it.

    Raises :class:`RuleViolation` ``not_seated``, ``no_chips``, ``match_stack``,
    ``table_closed``, ``wrong_phase``, ``full_stack``, ``no_top_ups``.
    """
    seat = live.seat_of(user_id)
    if seat is None:
        raise RuleViolation("not_seated", "Take a seat first.")
    stack = _verify(live, seat)
    if stack.top_ups >= live.row.top_ups:
        if live.row.top_ups == 0:
            raise RuleViolation("no_top_ups", "Only the host gives more chips at this table.")
        raise RuleViolation(
            "no_top_ups", "You have taken all your stacks. Ask the host for another one."
        )
    _top_up(live, seat, stack, by_host=False)


def give(live: LiveTable, number: int) -> None:
    """Give another stack to the player of a seat, as the host.

    Raises :class:`RuleViolation` ``no_such_seat``, ``no_chips``, ``match_stack``,
    ``table_closed``, ``wrong_phase``, ``full_stack``, ``no_top_ups``.
    """
    if number not in live.seats:
        raise RuleViolation("no_such_seat", "That seat is empty.")
    seat = live.seats[number]
    stack = _verify(live, seat)
    if stack.top_ups >= MOST_TOP_UPS:
        raise RuleViolation(
            "no_top_ups",
            "%(name)s has had %(number)s stacks, which is the limit.",
            name=seat.user.username,
            number=MOST_TOP_UPS + 1,
        )
    _top_up(live, seat, stack, by_host=True)


def ask(live: LiveTable, user_id: int) -> None:
    """Ask the host for another stack. All at the table see it.

    Raises :class:`RuleViolation` ``not_seated``, ``no_chips``, ``match_stack``,
    ``table_closed``, ``wrong_phase``, ``full_stack``, ``already_asked``.
    """
    seat = live.seat_of(user_id)
    if seat is None:
        raise RuleViolation("not_seated", "Take a seat first.")
    stack = _verify(live, seat)
    if stack.asked_at is not None:
        raise RuleViolation("already_asked", "You have asked the host already.")
    stack.asked_at = live.now
    stack.save(update_fields=["asked_at"])
    live.events.append(TopUpAsked(seat.number, seat.user.username))


def return_all(live: LiveTable) -> None:
    """Return all chips of a table that closes to the bank. No effect at a table without own chips.

    What this change has moved so far is posted first: fills, the last payouts and returned bets.
    """
    if not live.row.has_chips:
        return
    live.send_writes()
    if movements := live.take_movements():
        live.balances |= transfers.post(movements, at=live.now)
    bank_id, table_id = transfers.get_bank().pk, live.row.pk
    stacks = Stack.objects.filter(table=table_id).select_related("account").order_by("account")
    postings = [
        Posting(
            Transfer.Kind.CASH_OUT,
            stack.account_id,
            bank_id,
            stack.account.balance,
            f"table:{table_id}/user:{stack.user_id}/cash-out",
        )
        for stack in stacks
        if stack.account.balance
    ]
    if postings:
        live.balances |= transfers.post(postings, at=live.now)


def _verify(live: LiveTable, seat: Seat) -> Stack:
    """Refuse a top-up in the middle of a hand, or of a stack that is full.

    Bets on the next round count: they may be taken back.
    """
    stack, size = seat.stack, live.row.stack_size
    if stack is None or size is None:
        raise RuleViolation("no_chips", "At this table everyone plays with their own money.")
    if live.game.match is not None:
        raise RuleViolation("match_stack", "In a match everybody has the same stack, and no more.")
    if live.row.is_closing:
        raise RuleViolation("table_closed", "This table closes after this round.")
    if live.is_in_round(seat):
        raise RuleViolation("wrong_phase", "More chips come between two rounds.")
    if live.balance_of(seat) + live.game.bets.get(seat.number, 0) >= size:
        raise RuleViolation(
            "full_stack",
            "%(name)s still has a full stack of %(size)s.",
            name=seat.user.username,
            size=format_money_lazy(size),
        )
    return stack


def _top_up(live: LiveTable, seat: Seat, stack: Stack, *, by_host: bool) -> None:
    stack.top_ups += 1
    stack.asked_at = None
    stack.save(update_fields=["top_ups", "asked_at"])
    _issue(live, stack, Transfer.Kind.TOP_UP, f"top-up:{stack.top_ups}")
    live.events.append(ToppedUp(seat.number, seat.user.username, stack.top_ups, by_host))


def _issue(live: LiveTable, stack: Stack, kind: Transfer.Kind, place: str) -> None:
    """Post a stack from the bank at once: its entry needs the id of the transfer."""
    assert live.row.stack_size is not None
    posting = Posting(
        kind,
        transfers.get_bank().pk,
        stack.account_id,
        live.row.stack_size,
        f"table:{live.row.pk}/user:{stack.user_id}/{place}",
    )
    balances = transfers.post([posting], at=live.now, by=live.author.user_id)
    transfers.apply_balances(stack.account, balances)
