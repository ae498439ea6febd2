"""The page of a finished round, and the proof of its shoe."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.db.models import Q

from accounts.models import Transfer, User
from tables import access
from tables.advice.stored_rounds import MOST_CHANGES
from tables.engine.provably_fair.published import DEALER, FACE_DOWN
from tables.engine.rules import Ruleset
from tables.models import Change, Hand, Result, Round, Shoe, Void
from tables.records.hand_view import may_show_cards
from tables.records.replay import Replay, ReplayedHand, ReplayStep, build_final_replay
from tables.records.replay_builder import build_replay
from tables.records.replay_text import Reader, format_step
from tables.records.skill.graded_round import DecisionView, GradeView, build_grade
from tables.texts.refusals import translate_stored


@dataclass(frozen=True, slots=True)
class SeatView:
    number: int
    player: str | None
    """The name, for players of this round, and for a shared link of that player."""
    is_you: bool
    hands: tuple[ReplayedHand, ...]


@dataclass(frozen=True, slots=True)
class BackerView:
    """A bet behind a seat. Amounts of all its hands, in hundredths."""

    seat: int
    backs: str | None
    """The name of the seat's player, as in :class:`SeatView`."""
    name: str | None
    """The backer's, under the same conditions."""
    is_you: bool
    stake: int
    payout: int


@dataclass(frozen=True, slots=True)
class StepView:
    number: int
    sentence: str
    is_decision: bool
    graded: DecisionView | None
    """The viewer's own decision, if it is graded."""


@dataclass(frozen=True, slots=True)
class MomentView:
    """The steps of one change."""

    at: dt.datetime
    since_deal: str
    """Time since the deal, such as ``0:07`` or ``1:02:03``."""
    steps: tuple[StepView, ...]


@dataclass(frozen=True, slots=True)
class OwnMoney:
    """The viewer's amounts in the round, with insurance; in hundredths."""

    stake: int
    payout: int

    @property
    def net(self) -> int:
        return self.payout - self.stake

    @property
    def lost(self) -> int:
        """The lost amount, as a positive number."""
        return max(0, -self.net)


@dataclass(frozen=True, slots=True)
class VoidView:
    """The void of the round, and its effect on the viewer."""

    at: dt.datetime
    reason: str
    """The reason, for players of the round; empty for others."""
    covered: int
    """The amount covered by the bank, in hundredths: what the viewer's wallet lacked, or all
    winnings of an aborted round.
    """


@dataclass(frozen=True, slots=True)
class RoundPage:
    id: int
    number: int | None
    """The number at its table."""
    shoe_id: int | None
    shoe_number: int | None
    table_id: int
    table: str
    is_table_open: bool
    rules: Ruleset
    finished_at: dt.datetime | None
    replay: Replay
    seats: tuple[SeatView, ...]
    backers: tuple[BackerView, ...]
    moments: tuple[MomentView, ...]
    """Empty if the steps are unknown or hidden."""
    is_broken_off: bool
    """Whether the round was aborted."""
    is_hidden: bool
    shown_by: str | None
    """The name of the player who shared the link."""
    is_yours: bool
    """Whether the viewer played the round, or bet behind one of its seats."""
    own: OwnMoney | None
    """For a player of a finished round with stakes."""
    void: VoidView | None
    grade: GradeView | None
    """For its player alone."""


@dataclass(frozen=True, slots=True)
class AdjacentRounds:
    """The viewer's previous and next round, if any."""

    before: int | None = None
    after: int | None = None


def build_round_page(
    round_: Round, viewer_id: int | None, sharer_id: int | None = None
) -> RoundPage:
    """Build the page of a round for the user with this id, or for a visitor.

    ``sharer_id`` is the id of the user who shared it; the page shows the name if they played it.
    """
    all_results = Result.objects.filter(round=round_).select_related("user").order_by("seat", "pk")
    results = [result for result in all_results if not result.is_behind]
    behind = [result for result in all_results if result.is_behind]
    players = {result.seat: result.user for result in results}
    hands = [hand for result in results for hand in result.list_hands()]
    is_yours = any(result.user_id == viewer_id for result in all_results)
    names = {
        seat: user.username
        for seat, user in players.items()
        if is_yours or (user.pk == sharer_id and not user.is_deleted)
    }
    replay = _build_replay(round_, hands)
    own_seat = next((seat for seat, user in players.items() if user.pk == viewer_id), None)
    grade = None
    if own_seat is not None and viewer_id is not None and may_show_cards(round_):
        grade = build_grade(round_, viewer_id, own_seat, replay)
    reader = Reader(round_.rules, own_seat, names)
    shows = next((user.username for user in players.values() if user.pk == sharer_id), None)
    return RoundPage(
        id=round_.pk,
        number=round_.number,
        shoe_id=round_.shoe.public_id if round_.shoe else None,
        shoe_number=round_.shoe.number if round_.shoe else None,
        table_id=round_.table_id,
        table=round_.table.name,
        is_table_open=round_.table.closed_at is None,
        rules=round_.rules,
        finished_at=round_.finished_at,
        replay=replay,
        seats=_build_seats(replay, own_seat, names),
        backers=_build_backers(behind, names, viewer_id if is_yours else None),
        moments=tuple(_iter_moments(round_, replay.steps, reader, grade)),
        is_broken_off=round_.is_broken_off,
        is_hidden=not may_show_cards(round_),
        shown_by=shows if shows in names.values() else None,
        is_yours=is_yours,
        own=_sum_own_money(round_, all_results, viewer_id) if is_yours else None,
        void=_build_void(round_, viewer_id if is_yours else None),
        grade=grade,
    )


def _build_seats(
    replay: Replay, own_seat: int | None, names: Mapping[int, str]
) -> tuple[SeatView, ...]:
    return tuple(
        SeatView(number, names.get(number), number == own_seat, own)
        for number, own in replay.seats.items()
    )


def _build_backers(
    behind: Iterable[Result], names: Mapping[int, str], player_id: int | None
) -> tuple[BackerView, ...]:
    """The bets behind, with their names for a player or backer of the round."""
    return tuple(
        BackerView(
            seat=result.seat,
            backs=names.get(result.seat),
            name=None if player_id is None else result.user.username,
            is_you=result.user_id == player_id,
            stake=sum(hand.staked for hand in hands),
            payout=sum(hand.paid for hand in hands),
        )
        for result in behind
        if (hands := result.list_hands())
    )


def _build_replay(round_: Round, hands: list[Hand]) -> Replay:
    if not may_show_cards(round_):
        return build_final_replay(hands, "", shows_cards=False)
    changes = Change.objects.filter(round=round_).only("at", "command_id", "body").order_by("pk")
    replay = build_replay(changes[:MOST_CHANGES], hands, round_.dealer_cards)
    return replay or build_final_replay(hands, round_.dealer_cards, shows_cards=True)


def _iter_moments(
    round_: Round, steps: Sequence[ReplayStep], reader: Reader, grade: GradeView | None
) -> Iterator[MomentView]:
    numbered = enumerate(steps)
    for at, together in groupby(numbered, key=lambda one: one[1].at):
        step_views = tuple(
            StepView(
                number,
                format_step(step, reader),
                step.by is not None,
                grade.at_step(number) if grade else None,
            )
            for number, step in together
        )
        assert round_.dealt_at is not None
        yield MomentView(at, _format_clock(at - round_.dealt_at), step_views)


def _format_clock(span: dt.timedelta) -> str:
    """Format a time since the deal with minutes and seconds, and hours if needed."""
    minutes, seconds = divmod(max(0, int(span.total_seconds())), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _sum_own_money(
    round_: Round, results: Iterable[Result], viewer_id: int | None
) -> OwnMoney | None:
    if round_.rules.stakes is None or round_.is_broken_off:
        return None
    own = [hand for one in results if one.user_id == viewer_id for hand in one.list_hands()]
    return OwnMoney(
        stake=sum(hand.staked for hand in own),
        payout=sum(hand.paid for hand in own),
    )


def _build_void(round_: Round, player_id: int | None) -> VoidView | None:
    """The void as shown to a player of the round, or to others."""
    if round_.voided_at is None:
        return None
    if player_id is None:
        return VoidView(round_.voided_at, "", 0)
    reason = Void.objects.filter(round=round_, status=Void.Status.DONE).values_list("reason")
    covered = Transfer.objects.filter(reference=f"void:{round_.pk}/cover/user:{player_id}")
    return VoidView(
        at=round_.voided_at,
        reason=translate_stored(next((words for (words,) in reason), "")),
        covered=covered.values_list("amount", flat=True).first() or 0,
    )


def find_adjacent_rounds(round_: Round, viewer: User) -> AdjacentRounds:
    """The player's rounds before and after this one, within the visible history."""
    own = Result.objects.filter(user=viewer).values_list("round_id", "finished_at")
    rows = (
        own.filter(round__lt=round_.pk).order_by("-round_id").first(),
        own.filter(round__gt=round_.pk).order_by("round_id").first(),
    )
    since = viewer.history_since
    return AdjacentRounds(
        *(one[0] if one and (not since or one[1] > since) else None for one in rows)
    )


def list_same_deals(round_: Round, viewer_id: int | None) -> list[tuple[int, str]]:
    """Of a duplicate match that has ended, for its players: the rounds that were dealt from the same
    shoe, as ids and names, this one first.
    """
    shoe, match_id = round_.shoe, round_.table.match_id
    if shoe is None or match_id is None or not access.is_in_match(match_id, viewer_id):
        return []
    if not shoe.secret:
        return []
    original = shoe.same_as_id or shoe.pk
    shoes = Shoe.objects.filter(Q(pk=original) | Q(same_as=original))
    same = Result.objects.filter(round__shoe__in=shoes.order_by().values("pk"))
    rows = list(same.order_by("round").values_list("round", "user__username"))
    return sorted(rows, key=lambda one: one[0] != round_.pk) if len(rows) > 1 else []


def build_proof(shoe: Shoe) -> dict[str, Any]:
    """Build the proof for :mod:`tables.engine.provably_fair.proof`; no secret of a shoe in use."""
    mixed_in = shoe.mixed_in
    return {
        "method": shoe.method,
        "label": shoe.label,
        "decks": shoe.decks,
        "commitment": shoe.commitment,
        "secret": shoe.secret or None,
        "words": [one for one in mixed_in if one["words"] is not None],
        "absent": [
            {"seat": one["seat"], "commitment": one["commitment"]}
            for one in mixed_in
            if one["words"] is None
        ],
        "rounds": list(_iter_dealt_rounds(shoe)),
        "retired_because": shoe.retired_because,
    }


def _iter_dealt_rounds(shoe: Shoe) -> Iterator[dict[str, Any]]:
    """The published cards of each round of the shoe; unknown hole cards in aborted rounds."""
    rounds = shoe.rounds.filter(finished_at__isnull=False, dealt_at__isnull=False)
    rounds = rounds.order_by("first_card", "pk")
    visible_rounds = {round_.pk: round_ for round_ in rounds if may_show_cards(round_)}
    changes = Change.objects.filter(round__in=visible_rounds).only("round", "command_id", "body")
    dealt = {pk: _DealtCards() for pk in visible_rounds}
    for change in changes.order_by("seq"):
        if change.round_id is not None:
            dealt[change.round_id].add(change.events)
    for pk, round_ in visible_rounds.items():
        yield {
            "round": pk,
            "rules": round_.rules_key,
            "options": round_.rules_options,
            "seats": sorted(dealt[pk].seats),
            "first": round_.first_card,
            "cards": " ".join(card or FACE_DOWN for card in dealt[pk].cards),
            "to": " ".join(dealt[pk].to),
            "broken_off": round_.is_broken_off,
        }


@dataclass(slots=True)
class _DealtCards:
    """The cards of a round in the order of the deal, with their seats."""

    cards: list[str | None] = field(default_factory=list)
    to: list[str] = field(default_factory=list)
    seats: set[int] = field(default_factory=set)

    def add(self, events: list[dict[str, Any]]) -> None:
        """Add the cards of ``events``; the hole card when it is revealed."""
        for event in events:
            match event["type"]:
                case "card_dealt":
                    self.seats.add(event["seat"])
                    self.to.append(str(event["seat"]))
                    self.cards.append(event["card"])
                case "dealer_card_dealt":
                    self.to.append(DEALER)
                    self.cards.append(event["card"])
                case "hole_card_revealed":
                    self.cards[self.cards.index(None)] = event["card"]
                case _:
                    pass
