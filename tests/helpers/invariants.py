"""What has to be true of a house after every single step, looked up anew in the database.

Sums are kept here a second time, from the transfers, entries and changes that are new since the last
look: all are only ever added to.
"""

from __future__ import annotations

import string
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import msgspec

from accounts.models import Account, Transfer, User, WalletEntry
from tables.engine.cards import DECK
from tables.models import Change, PileGame, Round, Table
from tables.protocol import codec
from tables.protocol.frames import Changed
from tables.protocol.public import PublicTable
from tables.realtime import snapshots
from tables.state.live_table import LiveTable
from tables.state.public_view import build_public_table
from tests.helpers import reference_replay
from tests.helpers.leak_search import cards_in
from tests.helpers.table_client import TableClient

FACE_DOWN = "??"
STORED_CARDS = dict(zip(string.ascii_uppercase + string.ascii_lowercase, DECK, strict=True))


class Ledger:
    """Every account, reckoned from its transfers and entries alone."""

    def __init__(self) -> None:
        self.sums: Counter[int] = Counter()
        self.last = self.last_entry = 0
        self.of_rounds: Counter[int] = Counter()
        """What the players won, by round id."""
        self.seqs: Counter[int] = Counter()
        self.entry_sums: Counter[int] = Counter()
        self.balances: dict[int, int] = {}
        self.wallets: dict[int, int] = {}
        """Balances by user id."""

    def look(self) -> None:
        new = Transfer.objects.filter(pk__gt=self.last).order_by("pk")
        for pk, debit, credit, amount in new.values_list("pk", "debit", "credit", "amount"):
            assert amount > 0
            assert debit != credit
            self.sums[debit] -= amount
            self.sums[credit] += amount
            self.last = pk
        self._look_at_entries()
        racks = self._racks()
        self.balances, self.wallets = {}, {}
        put_in = total = 0
        for pk, kind, user, balance in Account.objects.values_list("pk", "kind", "user", "balance"):
            expected = self.sums[pk] + racks[pk]
            assert balance == expected, f"{kind} {pk} holds {balance}, not {expected}"
            if kind == Account.Kind.BANK:
                put_in -= balance
                continue
            assert balance >= 0, f"{kind} {pk} is below zero"
            total += balance
            self.balances[pk] = balance
            if user is not None:
                self.wallets[user] = balance
        assert total + sum(self.at_stake().values()) == put_in

    def _look_at_entries(self) -> None:
        """An entry without a transfer moves money between a wallet and its table."""
        new = WalletEntry.objects.filter(pk__gt=self.last_entry).order_by("pk")
        columns = ("pk", "wallet", "seq", "amount", "balance", "round", "transfer")
        for pk, wallet, seq, amount, balance, round_, transfer in new.values_list(*columns):
            self.seqs[wallet] += 1
            assert seq == self.seqs[wallet]
            self.entry_sums[wallet] += amount
            assert balance == self.entry_sums[wallet]
            if transfer is None:
                assert round_ is not None
                self.sums[wallet] += amount
                self.of_rounds[round_] += amount
            self.last_entry = pk

    def _racks(self) -> Counter[int]:
        """What racks have won in the rounds that are over."""
        won: Counter[int] = Counter()
        over = Round.objects.filter(finished_at__isnull=False)
        for pk, rack in over.values_list("pk", "table__rack"):
            won[rack] -= self.of_rounds[pk]
        return won

    def at_stake(self) -> Counter[int]:
        """Stakes less payouts of the rounds that are open, by table."""
        open_: Counter[int] = Counter()
        for pk, table in Round.objects.filter(finished_at=None).values_list("pk", "table"):
            open_[table] -= self.of_rounds[pk]
        return open_


@dataclass
class Eye:
    """What somebody knows who has looked at one table all the time, into its private state too."""

    at: TableClient
    put_in_order: dict[int, list[str]]
    """The cards of every shoe as the house put them in order, by its id; it may not have been
    able to keep that."""
    seq: int = 0
    orders: dict[int, list[str]] = field(default_factory=dict)
    """The cards of every shoe that was dealt from."""
    dealt: Counter[int] = field(default_factory=Counter)
    """How many of them have left it."""
    settled: set[int] = field(default_factory=set)
    """The rounds that were played again."""
    frames: dict[int, Changed] = field(default_factory=dict)
    """What pages were told, by seq."""
    face_up: set[str] = field(default_factory=set)
    staked: int = 0
    matched: int = 0
    """What the dealer has at stake beside that."""
    settled_so_far: int = 0
    """What the players have won already in the round that is open."""
    previous: object = None
    view: PublicTable | None = None

    def look(self, row: Table, changes: list[Change], ledger: Ledger) -> None:
        """Look at the table's row, and at the changes since the last look."""
        text = self._look_at_changes(row, changes)
        current = (row.seq, row.turn, row.deadline_at, row.state)
        if current != self.previous:
            self.previous = current
            self._look_at_table(row, text)
        stakes = ledger.at_stake()[row.pk]
        assert stakes == self.staked - self.settled_so_far, "the entries are what is staked"
        if self.view is not None and self.view.rack is not None:
            free = ledger.balances[row.rack_id] - self.settled_so_far - self.matched
            assert self.view.rack == free, "the rack matches the bets"

    def _look_at_changes(self, row: Table, changes: list[Change]) -> str:
        """They have no hole, and were told as they are stored."""
        text = ""
        for change in changes:
            self.seq += 1
            assert change.seq == self.seq
            if frame := self.frames.get(change.seq):
                assert list(frame.events) == change.events
                text += codec.encode(frame)
            text += codec.encode(change.events)
        assert row.seq == self.seq
        return text

    def _look_at_table(self, row: Table, text: str) -> None:
        live = LiveTable.from_stored(row, self.at.now)
        view, state = build_public_table(live), msgspec.json.decode(row.state)
        before = self.face_up
        self.view, self.face_up = view, set()
        if state:
            self._look_at_shoe(row, view, state)
            self._look_at_cards(view, state)
        self._look_at_open_rounds(row, view)
        allowed = self.face_up | before | self._settle_up(row, state)
        text += codec.encode(view)
        assert cards_in(text) <= allowed, "a card was told before its time"
        if state.get("shoe"):
            assert state["shoe"]["secret"] not in text, "the secret was told before its time"

    def _look_at_shoe(self, row: Table, view: PublicTable, state: dict[str, Any]) -> None:
        """The cards are those of the packs, stay in their order, and leave once."""
        shoe = state.get("shoe", {})
        if "cards" not in shoe:
            return
        cards = [str(STORED_CARDS[letter]) for letter in shoe["cards"]["order"]]
        dealt = shoe["cards"]["dealt"]
        order = self.orders.setdefault(shoe["id"], self.put_in_order[shoe["id"]])
        assert cards == order, "the cards of a shoe were changed"
        if self.dealt[shoe["id"]] == 0:
            packs = Counter({str(card): row.rules.decks for card in DECK})
            assert Counter(cards) == packs, "a shoe is not made of whole packs"
        assert self.dealt[shoe["id"]] <= dealt <= len(cards)
        assert view.shoe is not None
        assert view.shoe.left + dealt == len(cards) == view.shoe.size
        self.dealt[shoe["id"]] = dealt
        if view.asked is not None:
            first = Round.objects.values_list("first_card", flat=True).get(pk=view.round)
            assert first is not None
            lie = Counter(_on_table(state["round"]))
            assert lie == Counter(cards[first:dealt]), "what lies there is not what was dealt"
        if view.piles is not None:
            piles = view.piles
            collected = piles.player + piles.house + piles.discard
            lies = len(_on_table(state["round"])) if view.asked else 0
            assert collected + lies + piles.deck == 52

    def _look_at_cards(self, view: PublicTable, state: dict[str, Any]) -> None:
        """Everybody sees all that lies there, but for the hole card while somebody is asked."""
        round_ = state.get("round")
        if round_ is None:
            assert view.dealer.cards == ()
            return
        dealer = round_["dealer"].split()
        self.face_up = set(_on_table(round_))
        if view.asked is not None:
            place = reference_replay.HOLE_CARD[self.at.row.rules_key]
            hole, dealer[place] = dealer[place], FACE_DOWN
            lie_open = Counter(_on_table(round_)) - Counter([hole])
            self.face_up = set(lie_open)
        assert list(view.dealer.cards) == dealer, "the dealer's cards are told otherwise"

    def _look_at_open_rounds(self, row: Table, view: PublicTable) -> None:
        """A round is open while bets lie there or somebody is asked, whose time will be up."""
        bets = [seat.stake for seat in view.seats if seat.stake is not None]
        hands = [hand for seat in view.seats for hand in seat.hands if hand.outcome is None]
        insured = [s.insurance.stake for s in view.seats if s.insurance and not s.insurance.settled]
        answers = msgspec.json.decode(row.state).get("insurance_answers", {})
        assert {int(seat) for seat in answers} == {s.seat for s in view.seats if s.answered}
        insured += [
            view.seats[int(seat) - 1].hands[0].stake // 2
            for seat, answer in answers.items()
            if answer == "insure"
        ]
        bet = sum([*bets, *(hand.stake for hand in hands)])
        self.staked = sum([bet, *insured])
        self.matched = bet if row.rules.is_matched else 0
        is_asked = view.asked is not None
        self.settled_so_far = 0
        if is_asked:
            over = [hand for seat in view.seats for hand in seat.hands if hand.outcome is not None]
            paid = [s.insurance for s in view.seats if s.insurance and s.insurance.settled]
            self.settled_so_far = sum((one.payout or 0) - one.stake for one in (*over, *paid))
        assert (view.phase == "playing") == is_asked == bool(hands)
        still_open = list(
            Round.objects.filter(table=row, finished_at=None).values_list("pk", flat=True)
        )
        assert still_open == ([view.round] if bets or is_asked else [])
        if bets or is_asked:
            assert row.deadline_at is not None, "nobody's time is ever up"
        if row.deadline_at is not None:
            assert any(seat.player for seat in view.seats), "nobody looks at this clock"
        if view.asked is not None:
            assert view.seats[view.asked.seat - 1].player is not None
            assert {"stand", "decline"} & set(view.asked.legal), "no way to go on"
        if view.insurance:
            assert view.asked == view.insurance[0]
            assert all("decline" in one.legal for one in view.insurance)
            assert not any(view.seats[one.seat - 1].answered for one in view.insurance)

    def _settle_up(self, row: Table, state: dict[str, Any]) -> set[str]:
        """Have the rounds that are over now played again. Returns the cards that lay there."""
        over = Round.objects.filter(table=row, finished_at__isnull=False, dealt_at__isnull=False)
        lay: set[str] = set()
        for round_ in over.exclude(pk__in=self.settled).order_by("pk"):
            self.settled.add(round_.pk)
            if round_.is_broken_off:
                reference_replay.check_void(round_)
                continue
            assert round_.shoe_id is not None
            assert round_.first_card is not None
            order = self.orders.setdefault(round_.shoe_id, self.put_in_order[round_.shoe_id])
            dealt = reference_replay.check(round_, order[round_.first_card :])
            lay |= set(dealt)
            self.dealt[round_.shoe_id] = round_.first_card + len(dealt)
            for game in PileGame.objects.filter(round=round_):
                reference_replay.check_pile_game(game)
        shoe = state.get("shoe", {})
        if "cards" in shoe and shoe["id"] in self.dealt:
            assert shoe["cards"]["dealt"] == self.dealt[shoe["id"]]
        return lay

    def look_as(self, viewer: User | None, ledger: Ledger) -> None:
        """A page that is opened now is told what is so now, and nothing that is hidden."""
        snapshot = snapshots.table_snapshot(
            self.at.table_id, viewer.pk if viewer else None, self.at.now
        )
        assert snapshot.seq == self.seq
        assert snapshot.table == build_public_table(self.at.live)
        if viewer is not None:
            assert snapshot.you.balance == ledger.wallets[viewer.pk]
        assert cards_in(codec.encode(snapshot)) <= self.face_up


def _on_table(round_: dict[str, Any]) -> list[str]:
    hands = [hand for hands in round_["seats"].values() for hand in hands]
    cards = [card for hand in hands for card in hand["cards"].split()]
    return [*cards, *round_["dealer"].split()]
