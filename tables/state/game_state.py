"""The private state of a table, ``Table.state`` decoded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Self

from tables.engine.actions import Action
from tables.engine.legal_actions import insurance_stake
from tables.engine.piles import Piles, is_game_over
from tables.engine.player_hand import PlayerHand
from tables.engine.provably_fair import shuffle
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe
from tables.protocol import codec
from tables.protocol.plans import Plan
from tables.state.behind import Backing
from tables.state.match_state import MatchState

STATE_VERSION = 3
"""Version 2 wrote empty members too, and the cards of a shoe as in a hand."""
UNSEALED = 0
"""The id of a shoe from before shoes were sealed."""


_LEFT_OUT_IF_EMPTY: Final = (
    "round_id", "round_number", "bets", "words", "commitments", "next_commitments",
    "commitments_made", "gone", "bets_made", "behind_made", "players", "decisions",
    "seats_with_hints", "insurance_answers", "plans", "best_tries", "time_banks", "bank_since",
)  # fmt: skip
"""The members of a state that are stored under their own names, as they are."""
_MEMBERS_OF_VERSION_2: Final = {
    "round_id", "bets", "words", "players", "round", "shoe", "piles", "deck_left",
}  # fmt: skip
"""Those that every state of version 2 has, empty or not."""


class UnreadableState(RuntimeError):
    """The stored state is of another version of this program, or damaged."""


@dataclass(slots=True)
class SealedShoe:
    """The shoe of the next card, with the secret that decides its order. Never for a viewer."""

    id: int
    commitment: str
    secret: bytes = field(repr=False)
    method: str = shuffle.METHOD
    """The shuffle method."""
    same_as: int | None = None
    """The id of the shoe with the same secret, in a duplicate match."""
    cards: Shoe | None = field(default=None, repr=False)
    """``None`` until the first cards are dealt: the players' words are still missing."""

    @property
    def public_id(self) -> int:
        """The id that people see, and that is in the label of the shuffle."""
        return self.same_as or self.id

    def to_state(self) -> dict[str, Any]:
        """The shoe as plain JSON values."""
        state: dict[str, Any] = {
            "id": self.id,
            "commitment": self.commitment,
            "secret": self.secret.hex(),
            "method": self.method,
        }
        if self.same_as is not None:
            state["same_as"] = self.same_as
        return state if self.cards is None else state | {"cards": self.cards.to_state()}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """The shoe that :meth:`to_state` stored."""
        return cls(
            id=state["id"],
            commitment=state["commitment"],
            secret=bytes.fromhex(state["secret"]),
            method=state.get("method", shuffle.FIRST_METHOD),  # missing in older states
            same_as=state.get("same_as"),
            cards=Shoe.from_state(state["cards"]) if state.get("cards") else None,
        )


@dataclass(slots=True)
class GameState:
    """Bets on the next round, and the current or last round."""

    rules: Ruleset
    round_id: int | None = None
    """The id of the current or last round."""
    round_number: int | None = None
    """Its number at the table; missing in older states."""
    bets: dict[int, int] = field(default_factory=dict)
    """The bets on the next round, in hundredths by seat."""
    words: dict[int, str] = field(default_factory=dict)
    """The words shown for the shuffle of a new shoe, by seat."""
    commitments: dict[int, str] = field(default_factory=dict)
    """For the next shuffle, by seat: those that arrived before any words were shown."""
    next_commitments: dict[int, str] = field(default_factory=dict)
    """For the shuffle after that, by seat."""
    bets_made: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The number of bets of each seat on the next round, and since when (seconds)."""
    behind: list[Backing] = field(default_factory=list)
    """The bets behind on the next round."""
    behind_made: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The same as ``bets_made`` for bets behind, by user id."""
    is_called_off: bool = False
    """Whether the last bet was taken back before the deal: the next bet may reuse the row."""
    gone: dict[int, list[str]] = field(default_factory=dict)
    """Commitment and player of seats that became free after words were shown, for the proof."""
    commitments_made: dict[int, int] = field(default_factory=dict)
    """The number of commitments of a seat since the last shuffle."""
    players: dict[int, int] = field(default_factory=dict)
    """The players of ``round``: user ids by seat."""
    backed: list[Backing] = field(default_factory=list)
    """The bets behind on ``round``."""
    decisions: dict[int, int] = field(default_factory=dict)
    """The number of decisions by those players themselves, by seat."""
    seats_with_hints: list[int] = field(default_factory=list)
    """The seats that had hints on at any time since the deal."""
    round: Round | None = None
    insurance_answers: dict[int, Action] = field(default_factory=dict)
    """The answers about insurance, by seat, until all have answered. An ``insure`` is paid."""
    plans: dict[int, Plan] = field(default_factory=dict)
    """What players have decided ahead for their hands of this round, by seat."""
    best_tries: int = 0
    """How often the best play of the current decision was not known in time."""
    time_banks: dict[int, list[int]] = field(default_factory=dict)
    """What is left in a time bank (milliseconds) and when that was stored (seconds), by user id:
    who leaves and sits down again has the same one."""
    bank_since: int | None = None
    """Since when the time bank of the player runs who decides now, in milliseconds."""
    shoe: SealedShoe | None = None
    """The shoe of the next card; ``None`` before the first player sits down."""
    piles: Piles | None = None
    """The score if cards are the score, from the first hand of a game until the next game."""
    deck_left: int | None = None
    """The number of cards left at the end of the game; ``None`` during the game."""
    match: MatchState | None = None
    """The match that is played at the table, or was."""

    @property
    def is_match_running(self) -> bool:
        """Whether the rounds here are those of a match."""
        return self.match is not None and self.match.is_running

    @property
    def is_playing(self) -> bool:
        """Whether a round is in play."""
        return self.round is not None and not self.round.is_finished

    @property
    def seats_to_insure(self) -> tuple[int, ...]:
        """The seats that have not answered about insurance; empty while it is not asked."""
        round_ = self.round
        if round_ is None or not round_.is_insurance_asked:
            return ()
        seats_with_answer = round_.insurance.keys() | self.insurance_answers.keys()
        return tuple(seat for seat in round_.seats if seat not in seats_with_answer)

    @property
    def backer_ids(self) -> set[int]:
        """The ids of the users with a bet behind that is not settled."""
        if not self.behind and not self.backed:
            return set()
        in_play = self.backed if self.is_playing else []
        return {one.user_id for one in (*self.behind, *in_play)}

    @property
    def insurance_staked(self) -> int:
        """What is staked on insurance, in hundredths, while it is asked."""
        if self.round is None or not self.round.is_insurance_asked:
            return 0
        return sum(insurance.stake for insurance in self.round.insurance.values()) + sum(
            map(self.secret_insurance, self.insurance_answers)
        )

    def secret_insurance(self, seat: int) -> int:
        """What a seat has staked with an answer that is not played yet, in hundredths."""
        if self.round is None or self.insurance_answers.get(seat) is not Action.INSURE:
            return 0
        return insurance_stake(self.round.seats[seat][0])

    @property
    def staked(self) -> int:
        """The stakes on the table with the dealer's matches, in hundredths: bets, open hands, and open
        insurance.
        """
        return self._bet + self._matched + self.insurance_staked + self._staked_behind

    @property
    def rack_due(self) -> int:
        """What the rack has won in the round in play, less the bets that it matches, in hundredths."""
        return self.settled - self._matched

    @property
    def _bet(self) -> int:
        hands = self._list_hands() if self.is_playing else []
        return sum(self.bets.values()) + sum(hand.stake for hand in hands if hand.is_open)

    @property
    def _staked_behind(self) -> int:
        if not self.behind and not self.backed:
            return 0
        bets = sum(one.total for one in self.behind)
        return bets + sum(one.sum_open(hands) for one, hands in self._list_backed_in_play())

    def _list_backed_in_play(self) -> list[tuple[Backing, list[PlayerHand]]]:
        """The bets behind of the round in play, each with the hands of its seat."""
        if self.round is None or not self.is_playing:
            return []
        return [(one, self.round.seats[one.seat]) for one in self.backed]

    @property
    def _matched(self) -> int:
        return self._bet if self.rules.is_matched else 0

    @property
    def settled(self) -> int:
        """Stakes less payouts of what is settled in the round in play, in hundredths.

        The rack gets or pays it when the round is over.
        """
        if self.round is None or not self.is_playing:
            return 0
        over = [hand for hand in self._list_hands() if not hand.is_open]
        insurance = () if self.round.is_insurance_asked else self.round.insurance.values()
        won: int = sum(one.stake - one.payout for one in (*over, *insurance))
        for backing, hands in self._list_backed_in_play():
            won += backing.total - backing.sum_open(hands) - backing.paid
        return won

    def _list_hands(self) -> list[PlayerHand]:
        return [] if self.round is None else [h for seat in self.round.seats.values() for h in seat]

    def is_asked(self, seat: int) -> bool:
        """Whether this seat has to decide now."""
        round_ = self.round
        if round_ is None or round_.turn is None:
            return False
        return seat in self.seats_to_insure or (
            not round_.is_insurance_asked and round_.turn.seat == seat
        )

    def hands_of(self, seat: int, user_id: int) -> list[PlayerHand]:
        """The hands of this player in this seat in the round in play."""
        if self.round is None or not self.is_playing or self.players.get(seat) != user_id:
            return []
        return self.round.seats[seat]

    def count_hands(self, seat: int) -> int:
        """The number of hands of this seat in the round in play."""
        assert self.round is not None
        return len(self.round.seats[seat])

    def players_of(self, round_id: int) -> dict[int, int]:
        """The players of the round by seat, if it is the round in play; otherwise empty."""
        return self.players if self.is_playing and self.round_id == round_id else {}

    @property
    def is_shoe_over(self) -> bool:
        """Whether the shoe in use cannot serve another round."""
        cards = self.shoe.cards if self.shoe else None
        if cards is None:
            return False
        if self.rules.has_piles:
            return is_game_over(cards)
        cut = self.rules.cut_position
        return cut is None or cards.dealt >= cut or cards.left < self.rules.most_cards_of_a_round

    def to_text(self) -> str:
        """Encode the private state, including undealt cards, for storage."""
        state: dict[str, Any] = {"version": STATE_VERSION}
        for name in _LEFT_OUT_IF_EMPTY:
            if value := getattr(self, name):
                state[name] = value
        for name in ("behind", "backed"):
            if backings := getattr(self, name):
                state[name] = [one.to_state() for one in backings]
        if self.is_called_off:
            state["called_off"] = True
        if self.round is not None:
            state["round"] = self.round.to_state()
        if self.piles is not None:
            state["piles"] = self.piles.to_state()
        if self.deck_left is not None:
            state["deck_left"] = self.deck_left
        if self.shoe is not None:
            state["shoe"] = self.shoe.to_state()
        if self.match is not None:
            state["match"] = self.match.to_state()
        return codec.encode(state)

    @classmethod
    def from_text(cls, rules: Ruleset, text: str) -> Self:
        """Decode what :meth:`to_text` stored; an empty object is an unused table.

        Raises :class:`UnreadableState`, and nothing else, for any text.
        """
        try:
            return cls._from_state(rules, codec.decode_state(text))
        except UnreadableState:
            raise
        except Exception as error:
            # Without its message, which may contain hidden cards of a damaged state.
            raise UnreadableState(f"stored state is damaged: {type(error).__name__}") from None

    @classmethod
    def from_text_or_none(cls, rules: Ruleset, text: str) -> Self | None:
        """:meth:`from_text`; ``None`` if it cannot be read: the table is reset at its next change, and its
        stakes are returned.
        """
        try:
            return cls.from_text(rules, text)
        except UnreadableState:
            return None

    @classmethod
    def _from_state(cls, rules: Ruleset, state: dict[str, Any]) -> Self:
        if state == {}:
            return cls(rules)
        if state["version"] == 1:
            state = _convert_version_1(state)
        if state["version"] == 2 and not state.keys() >= _MEMBERS_OF_VERSION_2:
            raise UnreadableState("stored state is damaged: a member is missing")
        if state["version"] not in (2, STATE_VERSION):
            raise UnreadableState(f"stored state has version {state['version']}")
        shoe = SealedShoe.from_state(state["shoe"]) if state.get("shoe") else None
        return cls(
            rules=rules,
            round_id=state.get("round_id"),
            round_number=state.get("round_number"),
            bets=_by_seat(state.get("bets")),
            words=_by_seat(state.get("words")),
            commitments=_by_seat(state.get("commitments")),
            next_commitments=_by_seat(state.get("next_commitments")),
            bets_made={n: (c, at) for n, (c, at) in _by_seat(state.get("bets_made")).items()},
            behind=[Backing.from_state(one) for one in state.get("behind", ())],
            behind_made={n: (c, at) for n, (c, at) in _by_seat(state.get("behind_made")).items()},
            is_called_off=state.get("called_off", False),
            commitments_made=_by_seat(state.get("commitments_made")),
            gone=_by_seat(state.get("gone")),
            players=_by_seat(state.get("players")),
            backed=[Backing.from_state(one) for one in state.get("backed", ())],
            decisions=_by_seat(state.get("decisions")),
            seats_with_hints=list(state.get("seats_with_hints", ())),
            round=_decode(rules, shoe, state.get("round")),
            insurance_answers={
                seat: Action(answer)
                for seat, answer in _by_seat(state.get("insurance_answers")).items()
            },
            plans={seat: Plan(plan) for seat, plan in _by_seat(state.get("plans")).items()},
            best_tries=state.get("best_tries", 0),
            time_banks=_by_seat(state.get("time_banks")),
            bank_since=state.get("bank_since"),
            shoe=shoe,
            piles=Piles(**state["piles"]) if state.get("piles") else None,
            deck_left=state.get("deck_left"),
            match=MatchState.from_state(state["match"]) if state.get("match") else None,
        )


def _decode(rules: Ruleset, shoe: SealedShoe | None, state: dict[str, Any] | None) -> Round | None:
    """The stored round. A finished round needs no shoe: its own may be retired."""
    if state is None:
        return None
    cards = shoe.cards if shoe and shoe.cards else Shoe(())
    return Round.from_state(rules, cards, state)


def _by_seat(values: dict[str, Any] | None) -> dict[int, Any]:
    return {int(seat): value for seat, value in values.items()} if values else {}


def _convert_version_1(state: dict[str, Any]) -> dict[str, Any]:
    """Convert a state without sealed shoes. A round in play goes on with its unsealed cards."""
    round_, shoe = state["round"], None
    if round_ is not None:
        cards = {"cards": round_.pop("shoe"), "dealt": round_.pop("dealt")}
        round_ |= {"insurance": {}, "insurance_asked": False}
        if round_["turn"] is not None:
            shoe = {"id": UNSEALED, "commitment": "", "secret": "", "cards": cards}
    news = {"version": 2, "words": {}, "shoe": shoe, "piles": None, "deck_left": None}
    return state | news
