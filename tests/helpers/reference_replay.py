"""Settled rounds, played a second time by the slow references of the rules.

What the players decided is read from what everybody was told, the cards from the shoe as it was
put in order. Everything else, down to the last hundredth, the references find by themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

from django.db.models import QuerySet

from accounts.ledger.entries import list_reversals, list_round_entries
from accounts.models import Account, WalletEntry
from tables.models import Change, Hand, PileGame, Round
from tests.engine.reference import WHOSE, Asker, Ending, play_pile_hand, play_simple
from tests.engine.reference_casino import House, play_casino
from tests.helpers.settled_hands import list_hands

HOUSES = {
    "casino": House(),
    "vegas": House(boxes=4, one_card_on_aces=True, insures=True, surrenders=True),
}
HOLE_CARD = {"classic": 0, "heads-up": 0, "pot": 1, "piles": 1, "casino": 1, "vegas": 1}
"""Which of the dealer's first two cards lies face down (RULES, order of the deal)."""
TIES = {"classic": "push", "heads-up": "push", "pot": "lose"}
PLENTY = Fraction(10**9)
"""Whether they could pay for it, the books say."""

Decision = tuple[int, int, str]
"""Seat, hand, and what was chosen."""


@dataclass
class RoundLog:
    """A round as everybody was told of it."""

    bets: dict[int, int] = field(default_factory=dict)
    """Hundredths by seat."""
    players: dict[int, int] = field(default_factory=dict)
    """User ids by seat."""
    decisions: list[Decision] = field(default_factory=list)
    dealer: list[str | None] = field(default_factory=list)
    """``None`` for the card that was told as one that lies face down."""
    revealed: list[str] = field(default_factory=list)
    others: list[dict[str, Any]] = field(default_factory=list)
    to_deal: int | None = None
    """How many cards of the deal are still to be told of, once it has begun."""
    owed: int = 0
    """How many cards come without having been asked for."""


class Script(Asker):
    """Chooses what was chosen then, and insists that the same hand is asked."""

    def __init__(self, decisions: list[Decision]) -> None:
        super().__init__(Random(0))
        self.waiting = list(decisions)

    def ask(self, seat: int, box: int, choices: list[str], purse: Fraction = PLENTY) -> str:
        assert self.waiting, f"seat {seat} has to be asked about hand {box}"
        next_seat, hand, choice = self.waiting.pop(0)
        assert (next_seat, hand) == (seat, box), "another hand was asked"
        assert choice in choices, f"{choice} is not among {choices}"
        return choice


def read_round_log(round_: Round) -> RoundLog:
    """What everybody was told of this round."""
    log = RoundLog()
    for change in Change.objects.filter(round=round_).order_by("seq"):
        for event in change.events:
            _hear(log, event, change.user_id)
    return log


def _hear(log: RoundLog, event: dict[str, Any], user_id: int | None) -> None:
    kind, seat, hand = event["type"], event.get("seat", 0), event.get("hand", 1)
    if kind == "bet_placed":
        assert user_id is not None
        log.bets[seat], log.players[seat] = event["stake"], user_id
    elif kind == "bet_returned":
        del log.bets[seat], log.players[seat]
    elif kind in ("card_dealt", "dealer_card_dealt"):
        _hear_card(log, event, seat, hand)
    elif kind in _CHOICES:
        log.decisions.append((seat, hand, _CHOICES[kind]))
        log.owed += _OWED.get(kind, 0)
    elif kind == "hand_settled" and event["outcome"] == "surrender":
        log.decisions.append((seat, hand, "surrender"))
    elif kind == "hole_card_revealed":
        log.revealed.append(event["card"])
    else:
        log.others.append(event)


_CHOICES = {
    "hand_stood": "stand", "hand_doubled": "double", "hand_split": "split",
    "insurance_taken": "insure", "insurance_declined": "decline",
}  # fmt: skip
_OWED = {"hand_doubled": 1, "hand_split": 2}


def _hear_card(log: RoundLog, event: dict[str, Any], seat: int, hand: int) -> None:
    if log.to_deal is None:
        log.to_deal = 2 * (len(log.bets) + 1)
    if event["type"] == "dealer_card_dealt":
        log.dealer.append(event["card"])
    if log.to_deal:
        log.to_deal -= 1
    elif event["type"] == "card_dealt":
        if log.owed:
            log.owed -= 1
        else:
            log.decisions.append((seat, hand, "hit"))


def check(round_: Round, cards: Sequence[str]) -> list[str]:
    """Play a settled round again with its shoe's ``cards``, from the first of the round on, and
    compare everything. Returns the cards that were dealt in it, in that order.
    """
    log = read_round_log(round_)
    script = Script(log.decisions)
    ending = _play(round_.rules_key, cards, log.bets, script)
    assert script.waiting == [], "decisions that nobody was asked for"
    hands = list_hands(round=round_)
    assert list(_describe_rows(hands)) == list(_describe_ending(ending, log.players))
    _check_dealer(round_, log, ending)
    _check_money(round_, ending, log.players)
    used = [card for boxes in ending.boxes.values() for box in boxes for card in box.cards]
    dealt = list(cards[: len(used) + len(ending.dealer)])
    assert Counter(dealt) == Counter([*used, *ending.dealer])
    if round_.rules_key == "piles":
        _check_collected(log, ending, len(dealt))
    return dealt


def _play(key: str, cards: Sequence[str], bets: dict[int, int], script: Script) -> Ending:
    units = {seat: Fraction(stake, 100) for seat, stake in bets.items()}
    deck = list(cards)
    if key == "piles":
        return play_pile_hand(deck, script, hits_soft_17=False)
    if key in TIES:
        return play_simple(deck, units, script, tie=TIES[key])
    return play_casino(deck, units, dict.fromkeys(units, PLENTY), script, HOUSES[key])


def _describe_rows(hands: Sequence[Hand]) -> Iterator[str]:
    for hand in hands:
        yield (
            f"{hand.user_id} {hand.seat}/{hand.number}: {hand.cards} {hand.outcome} "
            f"{hand.stake} -> {hand.payout} doubled={hand.is_doubled} "
            f"insured {hand.insurance_stake} -> {hand.insurance_payout}"
        )


def _describe_ending(ending: Ending, players: dict[int, int]) -> Iterator[str]:
    for seat, boxes in ending.boxes.items():
        for number, box in enumerate(boxes, start=1):
            nothing = (Fraction(0), Fraction(0))
            cost, back = ending.insurance.get(seat, nothing) if number == 1 else nothing
            yield (
                f"{players[seat]} {seat}/{number}: {' '.join(box.cards)} {box.result} "
                f"{box.bet * 100} -> {box.received * 100} doubled={box.is_doubled} "
                f"insured {cost * 100} -> {back * 100}"
            )


def _check_dealer(round_: Round, log: RoundLog, ending: Ending) -> None:
    """One card was told face down, was turned over once, and the rest is what was dealt."""
    assert round_.dealer_cards == " ".join(ending.dealer)
    (hole,) = [place for place, card in enumerate(log.dealer) if card is None]
    assert hole == HOLE_CARD[round_.rules_key]
    assert log.revealed == [ending.dealer[hole]]
    assert [card for card in log.dealer if card] == [
        card for place, card in enumerate(ending.dealer) if place != hole
    ]


def _check_money(round_: Round, ending: Ending, players: dict[int, int]) -> None:
    """Each wallet has moved by what its hands came to."""
    moved = _moved(list_round_entries(round_.pk))
    came_to: Counter[int] = Counter()
    for seat, boxes in ending.boxes.items():
        cost, back = ending.insurance.get(seat, (Fraction(0), Fraction(0)))
        net = sum((box.received - box.bet for box in boxes), back - cost)
        came_to[players[seat]] += int(net * 100)
    wallets = dict(Account.objects.filter(pk__in=moved, kind="wallet").values_list("user", "pk"))
    assert {user: moved[pk] for user, pk in wallets.items() if moved[pk]} == {
        user: net for user, net in came_to.items() if net
    }


def check_void(round_: Round) -> None:
    """Whatever moved in a round that is void now has moved back."""
    moved = _moved(list_round_entries(round_.pk))
    back = _moved(list_reversals(round_.pk))
    assert {pk: amount for pk, amount in moved.items() if amount} == {
        pk: -amount for pk, amount in back.items() if amount
    }


def _moved(entries: QuerySet[WalletEntry]) -> Counter[int]:
    """What each wallet has won, in hundredths."""
    moved: Counter[int] = Counter()
    for wallet, amount in entries.values_list("wallet", "amount"):
        moved[wallet] += amount
    return moved


def _check_collected(log: RoundLog, ending: Ending, cards: int) -> None:
    (collected,) = [event for event in log.others if event["type"] == "cards_collected"]
    assert (collected["pile"], collected["cards"]) == (WHOSE[ending.boxes[1][0].result], cards)


def check_pile_game(game: PileGame) -> None:
    """A game of piles that has ended is what its hands collected."""
    counts = Counter({"player": 0, "house": 0, "discard": 0})
    for round_ in Round.objects.filter(shoe=game.round.shoe_id).order_by("pk"):
        for event in read_round_log(round_).others:
            if event["type"] == "cards_collected":
                counts[event["pile"]] += event["cards"]
    assert counts == {"player": game.player, "house": game.house, "discard": game.discard}
    ahead = counts["player"] - counts["house"]
    assert game.winner == ("player" if ahead > 0 else "house" if ahead < 0 else "draw")
