"""The private state of a table as it is stored."""

from __future__ import annotations

import json
from random import Random

import pytest

from tables.engine.actions import Action
from tables.engine.piles import Piles
from tables.engine.presets import PRESETS
from tables.engine.round import Round
from tables.engine.shoe import Shoe
from tables.state.game_state import GameState, SealedShoe, UnreadableState

STAKE = 1000


def in_play(key: str) -> GameState:
    """A round of as many as may sit there, after the deal."""
    rules, chance = PRESETS[key], Random(7)
    while True:
        shoe = Shoe.shuffled(rules.decks, chance)
        stake = STAKE if rules.stakes else 0
        stakes = dict.fromkeys(range(1, rules.seats + 1), stake)
        round_, _ = Round.deal(rules, stakes, shoe)
        if round_.turn is not None and not round_.is_insurance_asked:
            break
    game = GameState(rules, round_id=812, round_number=84, round=round_)
    game.players = dict(zip(stakes, (101, 102, 103), strict=False))
    game.commitments = {1: "5d" * 32}
    game.shoe = SealedShoe(340, "c3" * 32, bytes(range(32)), cards=shoe)
    return game


def full() -> GameState:
    """A state with a value in every member."""
    game = in_play("vegas")
    assert game.round is not None
    game.bets, game.words, game.next_commitments = {2: 0}, {1: "wörds"}, {3: "5e" * 32}
    game.bets_made, game.is_called_off, game.gone = {2: (1, 1795570761)}, True, {2: ["c", "ben"]}
    game.commitments_made, game.decisions = {1: 2}, {1: 4}
    game.insurance_answers, game.piles, game.deck_left = {1: Action.INSURE}, Piles(4, 0, 2), 0
    return game


@pytest.mark.parametrize("key", PRESETS)
def test_a_state_comes_back(key: str) -> None:
    game = in_play(key)
    assert GameState.from_text(game.rules, game.to_text()) == game
    assert GameState.from_text(game.rules, GameState(game.rules).to_text()) == GameState(game.rules)


def test_every_member_comes_back() -> None:
    game = full()
    again = GameState.from_text(game.rules, game.to_text())
    assert again == game
    assert again.deck_left == 0


@pytest.mark.parametrize(("key", "most"), [("casino", 650), ("vegas", 950)])
def test_a_state_is_small(key: str, most: int) -> None:
    """It is written with every command. Until version 2 it had 1,181 and 1,961 bytes."""
    text = in_play(key).to_text()
    assert len(text) <= most
    assert not [name for name, value in json.loads(text).items() if not value]


@pytest.mark.parametrize("missing", ["round_id", "bets", "words", "players", "round", "shoe"])
def test_a_state_of_version_2_has_all_its_members(missing: str) -> None:
    state = {
        "version": 2, "round_id": None, "bets": {}, "words": {}, "players": {}, "round": None,
        "shoe": None, "piles": None, "deck_left": None,
    }  # fmt: skip
    rules = PRESETS["casino"]
    assert GameState.from_text(rules, json.dumps(state)) == GameState(rules)
    del state[missing]
    with pytest.raises(UnreadableState):
        GameState.from_text(rules, json.dumps(state))
