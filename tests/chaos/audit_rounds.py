"""The rounds and the money of a run: the same cards for everybody, and every hundredth told."""

from __future__ import annotations

import datetime as dt
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from sys import maxsize
from typing import Any

from django.db.models import F
from django.utils import timezone

from accounts.models import STARTING_GRANT, Account, WalletEntry
from tables.engine.actions import Action
from tables.engine.legal_actions import insurance_stake
from tables.engine.provably_fair import proof
from tables.models import Change, Round, Shoe, Table
from tables.operators.rounds.verification import Verdict, verify_round
from tables.records import round_page
from tables.state.game_state import GameState
from tests.chaos.audit import LATE, Fault
from tests.chaos.client_log import History
from tests.helpers.settled_hands import list_hands


def faults(histories: list[History]) -> Iterator[Fault]:
    """Everything about rounds, cards and money that is not as the players were told."""
    tables = {history.table for history in histories}
    yield from _rounds(tables)
    yield from _views(histories)
    yield from _table_cards(histories)
    yield from _proofs(tables)
    yield from _balances(histories, tables)


def _rounds(tables: set[int]) -> Iterator[Fault]:
    """No round is open that nobody plays, and no money lies on a table without one."""
    late = timezone.now() - dt.timedelta(seconds=LATE)
    for table in Table.objects.filter(pk__in=tables):
        is_open = Round.objects.filter(table=table, finished_at=None).exists()
        if is_open and (table.deadline_at is None or table.deadline_at < late):
            yield Fault("stuck", f"a round is open at table {table.pk}, due {table.deadline_at}")
        rounds = Round.objects.filter(table=table, finished_at=None).values_list("pk", flat=True)
        entries = WalletEntry.objects.filter(round__in=list(rounds))
        at_stake = -sum(entries.values_list("amount", flat=True))
        if at_stake != table.staked + table.rack_due or (table.staked and not is_open):
            words = f"{table.staked} lie on table {table.pk}, the entries make {at_stake}"
            yield Fault("money", words)


def _views(histories: list[History]) -> Iterator[Fault]:
    """After the same change everybody sees the same cards, before a crash and behind it."""
    first_cards: dict[tuple[int, int], Any] = {}
    for history in histories:
        for line in history.of("snapshot", "changed"):
            cards = first_cards.setdefault((history.table, line["seq"]), line["cards"])
            if cards != line["cards"]:
                words = f"at table {history.table} change {line['seq']} shows {line['cards']}"
                yield Fault("cards", f"{words} to {history.player}, and {cards} to others")


def _table_cards(histories: list[History]) -> Iterator[Fault]:
    """Whatever card lay on the table lies in the round that is stored."""
    rounds = {round_.pk: round_ for round_ in Round.objects.all()}
    deals = _deals()
    hands = {(hand.round_id, hand.seat, hand.number): hand.cards.split() for hand in list_hands()}
    for history in histories:
        for line in history.of("snapshot", "changed"):
            frame_cards = line["cards"]
            # Not the round that the frame names: bets on the next one may lie there already, or
            # have been taken back.
            dealt = deals.get(history.table, [])
            place = bisect_right(dealt, (line["seq"], maxsize))
            round_ = rounds.get(dealt[place - 1][1]) if place else None
            if round_ is None or not round_.dealer_cards:
                continue
            where = f"round {round_.pk} was seen by {history.player} with"
            if not _fits(frame_cards["dealer"], round_.dealer_cards.split()):
                yield Fault("cards", f"{where} the dealer's {frame_cards['dealer']}")
            for seat, lie in frame_cards["hands"].items():
                for number, (*cards, outcome) in enumerate(lie, start=1):
                    stored = hands.get((round_.pk, int(seat), number), [])
                    if outcome is not None and cards != stored:
                        yield Fault("cards", f"{where} {cards}, and {stored} is stored")


def _deals() -> dict[int, list[tuple[int, int]]]:
    """By table, the changes in which cards were dealt, each with its round."""
    deals: dict[int, list[tuple[int, int]]] = {}
    changes = Change.objects.filter(round__isnull=False).order_by("seq")
    for change in changes.iterator(chunk_size=2000):
        if change.round_id and any(event["type"] == "card_dealt" for event in change.events):
            deals.setdefault(change.table_id, []).append((change.seq, change.round_id))
    return deals


def _fits(visible: list[str], stored: list[str]) -> bool:
    return len(visible) <= len(stored) and all(
        a in ("??", b) for a, b in zip(visible, stored, strict=False)
    )


def _proofs(tables: set[int]) -> Iterator[Fault]:
    """Every opened shoe proves its rounds, and every round plays to the same end again."""
    for shoe in Shoe.objects.filter(table__in=tables).exclude(secret=""):
        for fault in proof.find_proof_faults(round_page.build_proof(shoe)):
            yield Fault("cards", str(fault))
    dealt = Round.objects.filter(table__in=tables, dealt_at__isnull=False)
    ended = dealt.exclude(voided_at=F("finished_at"))  # those that were not broken off
    for round_ in ended.select_related("shoe", "table"):
        verification = verify_round(round_)
        if verification.verdict == Verdict.WRONG:
            yield Fault("cards", f"round {round_.pk}: {verification.words}")


def _balances(histories: list[History], tables: set[int]) -> Iterator[Fault]:
    """The wallet holds the last that its player was told of it, and what the events come to."""
    wallets: dict[str, tuple[int, int]] = {}
    for history in histories:
        for line in history.of("snapshot", "wallet"):
            if line["balance"] is not None and line.get("is_applied", True):
                wallet = (line["balance_seq"], line["balance"])
                wallets[history.player] = max(wallets.get(history.player, wallet), wallet)
    moved = _moved(tables)
    for account in Account.objects.filter(user__username__in=wallets).select_related("user"):
        name = account.user.username if account.user else ""
        if account.balance != wallets[name][1]:
            words = f"{name} was told {wallets[name][1]}, the wallet holds {account.balance}"
            yield Fault("money", words)
        if account.balance != STARTING_GRANT + moved[name]:
            words = f"{name} holds {account.balance}, the events come to {moved[name]:+}"
            yield Fault("money", words)


def _moved(tables: set[int]) -> dict[str, int]:
    """What the events of all changes come to for each player."""
    moved: dict[str, int] = defaultdict(int)
    for table in tables:
        sits: dict[int, str] = {}
        open_: dict[int, int] = defaultdict(int)
        changes = Change.objects.filter(table=table).order_by("seq")
        for event in (event for change in changes for event in change.events):
            kind, seat = event["type"], event.get("seat")
            if kind == "player_sat":
                sits[seat] = event["player"]
            elif kind in ("bet_placed", "hand_doubled", "hand_split", "insurance_taken"):
                moved[sits[seat]] -= event["stake"]
                open_[seat] += event["stake"]
            elif kind == "bet_returned":
                moved[sits[seat]] += event["stake"]
                open_[seat] -= event["stake"]
            elif kind in ("hand_settled", "insurance_settled"):
                moved[sits[seat]] += event["payout"]
                open_[seat] -= event["stake"]
            elif kind == "round_broken_off":
                for seat_, stake in open_.items():
                    moved[sits[seat_]] += stake
                open_.clear()
        # An answer about insurance is paid at once, and its event comes with the last one.
        row = Table.objects.get(pk=table)
        game = GameState.from_text(row.rules, row.state)
        for seat, answer in game.insurance_answers.items():
            if game.round is not None and answer is Action.INSURE:
                moved[sits[seat]] -= insurance_stake(game.round.seats[seat][0])
    return moved
