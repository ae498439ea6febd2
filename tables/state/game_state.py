"""The private state of a table, ``Table.state`` decoded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from tables.engine.piles import Piles, is_game_over
from tables.engine.player_hand import PlayerHand
from tables.engine.provably_fair import shuffle
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe
from tables.protocol import codec

STATE_VERSION = 2
UNSEALED = 0
"""The id of a shoe from before shoes were sealed."""


class UnreadableState(RuntimeError):
    """What is stored was written by another version of this program, or is damaged."""


@dataclass(slots=True)
class SealedShoe:
    """The shoe of the next card, with the secret that decides its order. Never for a viewer."""

    id: int
    commitment: str
    secret: bytes = field(repr=False)
    method: str = shuffle.METHOD
    """How its cards are put in order."""
    cards: Shoe | None = field(default=None, repr=False)
    """``None`` until the first cards are dealt: the players' words are still missing."""

    def to_state(self) -> dict[str, Any]:
        """The shoe as plain JSON values."""
        return {
            "id": self.id,
            "commitment": self.commitment,
            "secret": self.secret.hex(),
            "method": self.method,
            "cards": self.cards.to_state() if self.cards else None,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """The shoe that :meth:`to_state` stored."""
        return cls(
            id=state["id"],
            commitment=state["commitment"],
            secret=bytes.fromhex(state["secret"]),
            method=state.get("method", shuffle.FIRST_METHOD),  # not there in a state of before
            cards=Shoe.from_state(state["cards"]) if state["cards"] else None,
        )


@dataclass(slots=True)
class GameState:
    """Bets for the coming round, and the round that is played or was played last."""

    rules: Ruleset
    round_id: int | None = None
    """The round that bets are placed on, or that is played, or that was played last."""
    bets: dict[int, int] = field(default_factory=dict)
    """What is staked on the coming round, in hundredths by seat."""
    words: dict[int, str] = field(default_factory=dict)
    """What was shown for the shuffle of a fresh shoe, by seat."""
    commitments: dict[int, str] = field(default_factory=dict)
    """To the words for the next shuffle, by seat: all that were there before words were shown."""
    next_commitments: dict[int, str] = field(default_factory=dict)
    """To the words for the shuffle after that, by seat."""
    bets_made: dict[int, tuple[int, int]] = field(default_factory=dict)
    """How many bets were placed from each seat on the coming round, and since when (seconds)."""
    is_called_off: bool = False
    """Whether the round was given up before its cards: the next one may go on with its row."""
    gone: dict[int, list[str]] = field(default_factory=dict)
    """Commitment and player of seats that were left since somebody showed words: on record."""
    commitments_made: dict[int, int] = field(default_factory=dict)
    """How often a seat has committed anew since the last shuffle."""
    players: dict[int, int] = field(default_factory=dict)
    """Whose hands ``round`` holds: user ids by seat."""
    decisions: dict[int, int] = field(default_factory=dict)
    """How much of it those players decided themselves, by seat."""
    round: Round | None = None
    shoe: SealedShoe | None = None
    """What the next card comes from; ``None`` before anybody has sat down here."""
    piles: Piles | None = None
    """The score where cards are the score, from the first hand of a game until the next game's."""
    deck_left: int | None = None
    """How many cards were left when that game had ended; ``None`` while it goes on."""

    @property
    def is_playing(self) -> bool:
        """Whether a round waits for a decision."""
        return self.round is not None and not self.round.is_finished

    def hands_of(self, seat: int, user_id: int) -> list[PlayerHand]:
        """The hands that this player has, in this seat, in the round that is being played."""
        if self.round is None or not self.is_playing or self.players.get(seat) != user_id:
            return []
        return self.round.seats[seat]

    def players_of(self, round_id: int) -> dict[int, int]:
        """Whose hands the round holds if it is this one that is played: user ids by seat."""
        return self.players if self.is_playing and self.round_id == round_id else {}

    @property
    def is_shoe_over(self) -> bool:
        """Whether no further round is dealt from the shoe that is in use."""
        cards = self.shoe.cards if self.shoe else None
        if cards is None:
            return False
        if self.rules.has_piles:
            return is_game_over(cards)
        cut = self.rules.cut_position
        return cut is None or cards.dealt >= cut or cards.left < self.rules.most_cards_of_a_round

    def to_text(self) -> str:
        """The private state as it is stored, undealt cards included."""
        return codec.encode(
            {
                "version": STATE_VERSION,
                "round_id": self.round_id,
                "bets": _by_text(self.bets),
                "words": _by_text(self.words),
                "commitments": _by_text(self.commitments),
                "next_commitments": _by_text(self.next_commitments),
                "commitments_made": _by_text(self.commitments_made),
                "gone": _by_text(self.gone),
                "bets_made": _by_text(self.bets_made),
                "called_off": self.is_called_off,
                "players": _by_text(self.players),
                "decisions": _by_text(self.decisions),
                "round": self.round.to_state() if self.round else None,
                "shoe": self.shoe.to_state() if self.shoe else None,
                "piles": self.piles.to_state() if self.piles else None,
                "deck_left": self.deck_left,
            }
        )

    @classmethod
    def from_text(cls, rules: Ruleset, text: str) -> Self:
        """What :meth:`to_text` stored; an empty object is a table that was never played at.

        Raises :class:`UnreadableState`, and nothing else, whatever is stored.
        """
        try:
            return cls._of_state(rules, codec.decode_state(text))
        except UnreadableState:
            raise
        except Exception as error:
            # Not its message: a damaged state may be in it, with cards that nobody is to see.
            raise UnreadableState(f"stored state is damaged: {type(error).__name__}") from None

    @classmethod
    def _of_state(cls, rules: Ruleset, state: dict[str, Any]) -> Self:
        if state == {}:
            return cls(rules)
        if state["version"] == 1:
            state = _from_version_1(state)
        if state["version"] != STATE_VERSION:
            raise UnreadableState(f"stored state has version {state['version']}")
        shoe = SealedShoe.from_state(state["shoe"]) if state["shoe"] else None
        return cls(
            rules=rules,
            round_id=state["round_id"],
            bets=_by_seat(state["bets"]),
            words=_by_seat(state["words"]),
            commitments=_by_seat(state.get("commitments", {})),
            next_commitments=_by_seat(state.get("next_commitments", {})),
            bets_made={n: (c, at) for n, (c, at) in _by_seat(state.get("bets_made", {})).items()},
            is_called_off=state.get("called_off", False),
            commitments_made=_by_seat(state.get("commitments_made", {})),
            gone=_by_seat(state.get("gone", {})),
            players=_by_seat(state["players"]),
            decisions=_by_seat(state.get("decisions", {})),  # not there in a state of before
            round=_round(rules, shoe, state["round"]),
            shoe=shoe,
            piles=Piles(**state["piles"]) if state["piles"] else None,
            deck_left=state["deck_left"],
        )


def _round(rules: Ruleset, shoe: SealedShoe | None, state: dict[str, Any] | None) -> Round | None:
    """The stored round. One that is over needs no shoe: its own may be gone."""
    if state is None:
        return None
    cards = shoe.cards if shoe and shoe.cards else Shoe(())
    return Round.from_state(rules, cards, state)


def _by_text(values: Mapping[int, Any]) -> dict[str, Any]:
    return {str(seat): value for seat, value in values.items()}


def _by_seat(values: dict[str, Any]) -> dict[int, Any]:
    return {int(seat): value for seat, value in values.items()}


def _from_version_1(state: dict[str, Any]) -> dict[str, Any]:
    """A state from before shoes were sealed. A round in play goes on with its unsealed cards."""
    round_, shoe = state["round"], None
    if round_ is not None:
        cards = {"cards": round_.pop("shoe"), "dealt": round_.pop("dealt")}
        round_ |= {"insurance": {}, "insurance_asked": False}
        if round_["turn"] is not None:
            shoe = {"id": UNSEALED, "commitment": "", "secret": "", "cards": cards}
    news = {"version": 2, "words": {}, "shoe": shoe, "piles": None, "deck_left": None}
    return state | news
