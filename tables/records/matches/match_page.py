"""The page of a match: the standings, and the rounds of all its players."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tables.models import VOID, Match, MatchPlayer, Result, Round, Table
from tables.records.hand_view import (
    PlayedCard,
    PlayedHand,
    build_played_hand,
    parse_played_cards,
)
from tables.records.matches.decision_costs import Costs, load_costs
from tables.state.match_state import rank


@dataclass(frozen=True, slots=True)
class StandingView:
    """A player in the standings."""

    place: int
    name: str
    stack: int
    """After the last round that counts here, in hundredths."""
    change: int
    """The change since the start, in hundredths."""
    out_in_round: int | None
    has_left: bool
    is_you: bool
    is_done: bool
    """Whether the player has no round of the match left to play."""


@dataclass(frozen=True, slots=True)
class CellView:
    """What a player did in a round. Amounts in hundredths."""

    name: str
    round_id: int | None
    """``None``: the player was not in this round."""
    is_void: bool = False
    stake: int = 0
    net: int = 0
    hands: tuple[PlayedHand, ...] = ()
    dealer: tuple[PlayedCard, ...] = ()
    cost: int | None = None
    """What the decisions cost, for players of the match that has ended; ``None`` while it is not
    computed.
    """


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A round of the match with what each player did, in the order of the players."""

    number: int
    cells: tuple[CellView, ...]


@dataclass(frozen=True, slots=True)
class MatchPage:
    """The page of a match for a viewer."""

    match: Match
    standings: tuple[StandingView, ...]
    rounds: tuple[RoundRow, ...]
    """The last one first."""
    names: tuple[str, ...]
    """The players, in the order of the columns."""
    played: int
    """The number of rounds that count in the standings here."""
    is_yours: bool
    is_host: bool
    """Whether the viewer may start it."""
    is_grading: bool
    """Whether the costs of some rounds are not computed yet."""
    has_void_after_end: bool
    """Whether a round was voided after the end, which changes no place and no stack here."""
    table_id: int | None
    """The viewer's table, or that of the match; ``None`` if it is closed, or not there yet."""

    @property
    def winners(self) -> list[str]:
        """The players in the first place of a match that is over."""
        return [one.name for one in self.standings if one.place == 1]


def build_match_page(match: Match, viewer_id: int | None, host_id: int | None) -> MatchPage:
    """Build the page. Of a duplicate match that runs, only rounds that all have finished are in it."""
    players = list(match.players.select_related("user"))
    mine = next((player for player in players if player.user_id == viewer_id), None)
    played = _count_common_rounds(match, players)
    results = _load_results(match, played)
    graded = [result.round for result in results if result.hands and result.outcome != VOID]
    shows_costs = mine is not None and match.has_ended
    costs = load_costs(graded) if shows_costs else {}
    standings = (
        _rank_running_duplicate(match, players, results)
        if match.is_duplicate and not match.has_ended
        else players
    )
    return MatchPage(
        match=match,
        standings=tuple(
            _build_standing(match, place, player, viewer_id) for place, player in rank(standings)
        ),
        rounds=tuple(_iter_rounds(players, results, costs, played)),
        names=tuple(player.user.username for player in players),
        played=played,
        is_yours=mine is not None,
        is_grading=shows_costs and any(row.pk not in costs for row in graded),
        has_void_after_end=any(_is_void_after_end(result.round, match) for result in results),
        is_host=viewer_id is not None and host_id == viewer_id,
        table_id=_find_table(match, mine),
    )


def _is_void_after_end(round_: Round, match: Match) -> bool:
    if round_.voided_at is None or match.ended_at is None:
        return False
    return round_.voided_at > match.ended_at


def _count_common_rounds(match: Match, players: Iterable[MatchPlayer]) -> int:
    """The number of rounds that all players have behind them."""
    if not match.is_duplicate or match.has_ended:
        return max((player.played for player in players), default=0)
    still_in = [player.played for player in players if player.out_in_round is None]
    return min(still_in, default=match.played)


def _load_results(match: Match, played: int) -> list[Result]:
    tables = Table.objects.filter(match=match).values("pk")
    rounds = Round.objects.filter(table__in=tables, number__lte=played).values("pk")
    results = Result.objects.filter(round__in=rounds).select_related("round")
    return list(results.order_by("round__number", "seat"))


def _rank_running_duplicate(
    match: Match, players: Iterable[MatchPlayer], results: Iterable[Result]
) -> list[MatchPlayer]:
    """The players with the stacks after the rounds that all have finished."""
    nets: dict[int, int] = {}
    for result in results:
        if result.outcome != VOID:
            nets[result.user_id] = nets.get(result.user_id, 0) + result.payout - result.stake
    standings = list(players)
    for player in standings:
        player.stack = max(0, match.stack + nets.get(player.user_id, 0))
    return standings


def _build_standing(
    match: Match, place: int, player: MatchPlayer, viewer_id: int | None
) -> StandingView:
    is_done = player.out_in_round is not None or player.played >= (
        match.rounds or player.played + 1
    )
    return StandingView(
        place=place,
        name=player.user.username,
        stack=player.stack,
        change=player.stack - match.stack,
        out_in_round=player.out_in_round,
        has_left=player.has_left,
        is_you=player.user_id == viewer_id,
        is_done=is_done,
    )


def _iter_rounds(
    players: Sequence[MatchPlayer],
    results: Iterable[Result],
    costs: Mapping[int, Costs],
    played: int,
) -> Iterable[RoundRow]:
    by_place = {(result.round.number, result.user_id): result for result in results}
    for number in range(played, 0, -1):
        yield RoundRow(
            number,
            tuple(
                _build_cell(player, by_place.get((number, player.user_id)), costs)
                for player in players
            ),
        )


def _build_cell(player: MatchPlayer, result: Result | None, costs: Mapping[int, Costs]) -> CellView:
    name = player.user.username
    if result is None:
        return CellView(name, None)
    hands = result.list_readable_hands()
    return CellView(
        name,
        result.round_id,
        is_void=result.outcome == VOID,
        stake=sum(hand.staked for hand in hands),
        net=0 if result.outcome == VOID else result.payout - result.stake,
        hands=tuple(build_played_hand(hand, shows_cards=True) for hand in hands),
        dealer=parse_played_cards(result.round.dealer_cards),
        cost=costs.get(result.round_id, {}).get(result.seat),
    )


def _find_table(match: Match, mine: MatchPlayer | None) -> int | None:
    tables = Table.objects.filter(match=match, closed_at=None)
    if match.is_duplicate:
        tables = tables.filter(match_players=mine) if mine else tables.none()
    return tables.values_list("pk", flat=True).first()
