"""Verification of a stored round: shoe, play and money recomputed.

The shoe is shuffled again from the published secret and the players' words, and the round is
replayed from the stored commands. Every event, hand, result and entry must be the same as
stored. While the shoe is in use, verification is not possible: the secret is not published, and
this module reads no private state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.utils.translation import gettext as _

from accounts.models import Act
from tables.engine.errors import CardError, RuleViolation
from tables.engine.provably_fair import shuffle
from tables.engine.shoe import Shoe
from tables.models import VOID, Change, Result, Round, load_play_accounts
from tables.operators.rounds.replayed_money import EntryLine, ExpectedMoney, load_entry_lines
from tables.operators.rounds.replayed_play import Mismatch, RoundReplay
from tables.results.recording import get_outcome
from tables.state.commitments import word_lines

MOST_CHANGES: Final = 1000
"""The limit of changes to read: more than any round has."""


class Verdict(StrEnum):
    """The result of a verification."""

    RIGHT = "right"
    WRONG = "wrong"
    UNTOLD = "untold"
    """Verification is not possible, or not yet."""


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """The result of replaying a round."""

    verdict: Verdict
    words: str
    """The first difference, or why verification is not possible."""


def verify_round(round_: Round) -> VerificationResult:
    """Replay the round and compare it. Changes nothing."""
    if reason := _explain_unverifiable(round_):
        return VerificationResult(Verdict.UNTOLD, reason)
    try:
        _replay_round(round_)
    except Mismatch as found:
        return VerificationResult(Verdict.WRONG, str(found))
    except (RuleViolation, CardError, LookupError, ValueError, TypeError) as error:
        return VerificationResult(
            Verdict.WRONG, _("The replay failed: %(error)s") % {"error": error}
        )
    if round_.is_broken_off:
        words = _("The seed and commands reproduce the cards and stakes up to its cancellation.")
        return VerificationResult(Verdict.RIGHT, words)
    return VerificationResult(
        Verdict.RIGHT,
        _("The seed and commands reproduce the stored cards, hands, results and transfers."),
    )


def _explain_unverifiable(round_: Round) -> str:
    if round_.dealt_at is None:
        return _("No cards were dealt in this round.")
    if round_.finished_at is None:
        return _("This round is still being played.")
    if round_.shoe is None or round_.first_card is None:
        return _("This round was dealt before shoes were sealed.")
    if not round_.shoe.secret:
        return _(
            "Its shoe is still in use and its secret sealed. Check again when the shoe is finished."
        )
    return ""


def _replay_round(round_: Round) -> None:
    # All users with a command in it: a bet may have been returned before the deal.
    changes = Change.objects.filter(round=round_, user__isnull=False).order_by()
    users = set(changes.values_list("user", flat=True))
    accounts = load_play_accounts(round_.table, users)
    wallets = {user_id: account.pk for user_id, account in accounts.items()}
    money = ExpectedMoney(round_.pk, wallets)
    play = RoundReplay(round_, _load_shoe(round_), money, _find_frozen_users(round_, wallets))
    changes = Change.objects.filter(round=round_).order_by("seq")
    for change in changes[:MOST_CHANGES]:
        play.apply_change(change)
    _compare_words(round_, play)
    if round_.is_broken_off:  # it has no end and no hands
        play.add_open_insurance()
    else:
        _compare_hands(round_, play)
        _compare_behind(round_, play)
    _compare_results(round_)
    _compare_money(round_, money)


def _find_frozen_users(round_: Round, user_ids: Iterable[int]) -> set[int]:
    """The users frozen during the round, whose hands stood automatically."""
    subjects = {f"user:{pk}": pk for pk in user_ids}
    acts = Act.objects.filter(what=Act.What.FREEZE, subject__in=subjects)
    acts = acts.filter(at__gte=round_.opened_at, at__lte=round_.finished_at)
    return {subjects[subject] for subject in acts.values_list("subject", flat=True)}


def _load_shoe(round_: Round) -> Shoe:
    """The shoe from its secret and words, with the cards before the round's first one dealt."""
    shoe = round_.shoe
    assert shoe is not None
    assert round_.first_card is not None
    secret = bytes.fromhex(shoe.secret)
    if shuffle.seal_of(secret) != shoe.commitment:
        raise Mismatch(_("The secret of the shoe does not match its seal."))
    words = word_lines(shoe.mixed_in, shoe.method)
    cards = shuffle.shuffle_shoe(secret, shoe.label, words, shoe.decks, shoe.method)
    return Shoe(cards, round_.first_card)


def _compare_words(round_: Round, play: RoundReplay) -> None:
    """Compare the words with those of the bets. A seat without a commitment adds none."""
    assert round_.shoe is not None
    if round_.first_card != 0:
        return
    entries = [one for one in round_.shoe.mixed_in if one["words"] is not None]
    for seat, words in word_lines(entries, round_.shoe.method):
        if words not in play.words.get(seat, ()):
            raise Mismatch(_("The shuffle words in the bets differ from those of the shoe."))
    if round_.shoe.method != shuffle.FIRST_METHOD and [one["seat"] for one in entries] != sorted(
        play.bets.stakes
    ):
        raise Mismatch(_("The shuffle words in the bets differ from those of the shoe."))


def _compare_hands(round_: Round, play: RoundReplay) -> None:
    if play.engine is None or not play.engine.is_finished:
        raise Mismatch(_("Its commands do not lead to its end."))
    if str(play.engine.dealer) != round_.dealer_cards:
        raise Mismatch(
            _("Dealer's cards: recomputed %(given)s, stored %(stored)s.")
            % {"given": play.engine.dealer, "stored": round_.dealer_cards}
        )
    expected = dict(_list_replayed_hands(play))
    stored = {
        (hand.seat, hand.number): (
            hand.user_id, hand.cards, hand.total, hand.is_doubled, hand.outcome,
            hand.stake, hand.payout, hand.insurance_stake, hand.insurance_payout,
        )
        for hand in Result.objects.own().filter(round=round_).list_hands()
    }  # fmt: skip
    for place in sorted({*expected, *stored}):
        if expected.get(place) != stored.get(place):
            raise Mismatch(
                _("Hand %(hand)s of seat %(seat)s: recomputed %(given)s, stored %(stored)s.")
                % {
                    "hand": place[1],
                    "seat": place[0],
                    "given": expected.get(place),
                    "stored": stored.get(place),
                }
            )


def _compare_behind(round_: Round, play: RoundReplay) -> None:
    """Compare the stakes and payouts of bets behind with the results of their users."""
    stored = {
        result.user_id: (result.seat, [(hand.stake, hand.payout) for hand in result.list_hands()])
        for result in Result.objects.filter(round=round_, is_behind=True)
    }
    expected = play.behind.list_results()
    for user_id in sorted({*expected, *stored}):
        if expected.get(user_id) != stored.get(user_id):
            raise Mismatch(
                _("Result of user %(user)s: recomputed %(given)s, stored %(stored)s.")
                % {
                    "user": user_id,
                    "given": expected.get(user_id),
                    "stored": stored.get(user_id),
                }
            )


def _list_replayed_hands(play: RoundReplay) -> Iterator[tuple[tuple[int, int], tuple[object, ...]]]:
    assert play.engine is not None
    for seat, hands in play.engine.seats.items():
        for number, hand in enumerate(hands, start=1):
            insurance = play.engine.insurance.get(seat) if number == 1 else None
            yield (seat, number), (
                play.bets.players[seat], str(hand.hand), hand.hand.total, hand.is_doubled,
                hand.outcome.value if hand.outcome else None, hand.stake, hand.payout,
                insurance.stake if insurance else 0, insurance.payout if insurance else 0,
            )  # fmt: skip


def _compare_results(round_: Round) -> None:
    """Compare the results with the hands, which are already verified."""
    for result in Result.objects.filter(round=round_).order_by("seat"):
        hands = result.list_hands()
        expected: tuple[str, int, int] = (VOID, 0, 0)
        if round_.voided_at is None:
            staked, paid = sum(hand.staked for hand in hands), sum(hand.paid for hand in hands)
            expected = (get_outcome(hands).value, staked, paid)
        stored = (result.outcome, result.stake, result.payout)
        if stored != expected:
            raise Mismatch(
                _("Result of user %(user)s: recomputed %(given)s, stored %(stored)s.")
                % {"user": result.user_id, "given": expected, "stored": stored}
            )


def _compare_money(round_: Round, money: ExpectedMoney) -> None:
    stored = load_entry_lines(round_.pk)
    for reference in {**stored, **money.lines}:
        expected, there = money.lines.get(reference), stored.get(reference)
        if expected != there:
            raise Mismatch(
                _("Transfer %(reference)s: recomputed %(given)s, stored %(stored)s.")
                % {"reference": reference, "given": _format(expected), "stored": _format(there)}
            )


def _format(line: EntryLine | None) -> str:
    return _("missing") if line is None else str(line)
