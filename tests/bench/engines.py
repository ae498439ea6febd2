"""Rounds per second of the rules engine beside two that others use, and the price of fairness.

All three play one seat by the dealer's own rule: hit below 17, stand on 17 and more. Gymnasium
and OpenSpiel come with the lock file of the bench alone, so they are imported where they are used.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random, SystemRandom
from statistics import fmean, median
from typing import Any

from tables.engine.cards import DECK
from tables.engine.presets import CASINO
from tables.engine.provably_fair.shuffle import shuffle_shoe
from tables.engine.simulation import simulate
from tables.engine.strategies import mimic_dealer

RUNS = 5
ROUNDS = 50_000
"""In one run: enough for a mean return that is right to a hundredth of a stake over all runs."""
SHUFFLES = 500
STAND_ON = 17
EXACT_RETURNS = {
    "ours": -0.0568,
    "gymnasium": -0.0759,
    "openspiel": -0.0801,
    "openspiel_as_documented": -0.0801,
}
"""The mean net of a stake of 1, by enumeration of all hands. One deck, naturals 3:2; endless
cards, a natural beats a drawn 21; one deck, a natural is just 21."""


@dataclass
class Contestant:
    """Something whose turns are timed; ``act`` gets the number of the run."""

    act: Callable[[int], float]
    seconds: list[float] = field(default_factory=list)
    results: list[float] = field(default_factory=list)

    def take_turn(self, run: int) -> None:
        began = time.perf_counter()
        result = self.act(run)
        self.seconds.append(time.perf_counter() - began)
        self.results.append(result)


def measure() -> Iterator[dict[str, Any]]:
    """One JSON line a figure: rounds and their returns, then shuffles."""
    with on_one_core():
        yield from round_figures()
        yield from shuffle_figures()


@contextmanager
def on_one_core() -> Iterator[None]:
    """So that no side is moved between cores, and none uses two. Where Linux lets us."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def by_turns(*contestants: Contestant) -> None:
    for run in range(RUNS):
        for contestant in contestants:
            contestant.take_turn(run)


def round_figures() -> Iterator[dict[str, Any]]:
    """Rounds per second, and the mean returns that show that each side played its rounds."""
    players = {
        "ours": Contestant(play_ours),
        "gymnasium": Contestant(gymnasium_player()),
        "openspiel": Contestant(openspiel_player(draw_a_legal_card)),
        "openspiel_as_documented": Contestant(openspiel_player(draw_from_chances)),
    }
    by_turns(*players.values())
    speeds = {name: ROUNDS / median(player.seconds) for name, player in players.items()}
    returns = {name: fmean(player.results) for name, player in players.items()}
    for name, exact in EXACT_RETURNS.items():
        assert abs(returns[name] - exact) < 0.01, f"{name} does not play mimic: {returns[name]}"
    floors = {
        "gymnasium": "Gymnasium's Blackjack-v1: endless cards, naturals 1:1",
        "openspiel": "OpenSpiel's C++ blackjack from Python, by the quickest calls",
        "openspiel_as_documented": "the same, cards drawn by chance_outcomes and sample_action",
    }
    for kind, values, digits in (
        ("rounds_per_second", speeds, None),
        ("mean_return_of_mimic", returns, 3),
    ):
        for name, floor_is in floors.items():
            line = f"{kind}_beside_{name}"
            yield figure(line, values["ours"], values[name], floor_is, digits=digits)


def play_ours(run: int) -> float:
    """The mean return of rounds of the house's own ``casino``: one deck, naturals pay 3:2."""
    return simulate(CASINO, mimic_dealer, ROUNDS, Random(run)).edge


def gymnasium_player() -> Callable[[int], float]:
    """Blackjack-v1 as ``gymnasium.make`` gives it, through reset and step."""
    import gymnasium

    environment = gymnasium.make("Blackjack-v1")

    def play(run: int) -> float:
        environment.reset(seed=run)
        returned = 0.0
        for _ in range(ROUNDS):
            (total, _, _), _ = environment.reset()
            is_over = False
            while not is_over:
                action = 0 if total >= STAND_ON else 1
                (total, _, _), reward, is_over, _, _ = environment.step(action)
            returned += float(reward)
        return returned / ROUNDS

    return play


def openspiel_player(draw: Callable[[Any, Callable[[], float]], int]) -> Callable[[int], float]:
    """OpenSpiel's game from Python; ``draw`` picks the next card. The game counts the total."""
    import pyspiel

    game = pyspiel.load_game("blackjack")
    chance, terminal = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
    hit, stand, player = 0, 1, 0

    def play(run: int) -> float:
        random = Random(run).random
        returned = 0.0
        for _ in range(ROUNDS):
            state = game.new_initial_state()
            while (to_act := state.current_player()) != terminal:
                if to_act == chance:
                    state.apply_action(draw(state, random))
                else:
                    total = state.get_best_player_total(player)
                    state.apply_action(stand if total >= STAND_ON else hit)
            returned += state.player_return(player)
        return returned / ROUNDS

    return play


def draw_from_chances(state: Any, random: Callable[[], float]) -> int:
    """As OpenSpiel means it to be done: the outcomes with their chances, and its own sampling."""
    import pyspiel

    card, _ = pyspiel.sample_action(state.chance_outcomes(), random())
    return int(card)


def draw_a_legal_card(state: Any, random: Callable[[], float]) -> int:
    """The cards of a deck are equally likely: one of the legal ones, over three times as fast."""
    cards = state.legal_actions()
    return int(cards[int(random() * len(cards))])


def shuffle_figures() -> Iterator[dict[str, Any]]:
    """Microseconds of one shuffle that everybody can check, beside those that nobody can."""
    for decks, name in ((1, "one_deck"), (6, "six_decks")):
        ours = Contestant(fair_shuffles(decks))
        floors = (
            (Contestant(plain_shuffles(decks, Random())), "random.Random().shuffle", "random"),
            (
                Contestant(plain_shuffles(decks, SystemRandom())),
                "SystemRandom().shuffle",
                "system_random",
            ),
        )
        by_turns(ours, *(floor for floor, _, _ in floors))
        for floor, floor_is, floor_name in floors:
            value, beside = (median(side.seconds) / SHUFFLES * 1e6 for side in (ours, floor))
            yield figure(
                f"fair_shuffle_of_{name}_us_beside_{floor_name}",
                value,
                beside,
                f"{floor_is} of as many cards",
                digits=1,
            )


def fair_shuffles(decks: int) -> Callable[[int], float]:
    """The house's shuffle: a sealed secret, and a word of each of three players."""
    words = [(1, "swordfish"), (2, "seven of nine"), (3, "lucky")]

    def shuffle(run: int) -> float:
        secret = run.to_bytes(32)
        for number in range(SHUFFLES):
            shuffle_shoe(secret, f"round {number}", words, decks)
        return 0

    return shuffle


def plain_shuffles(decks: int, random: Random) -> Callable[[int], float]:
    """One list, shuffled in its place again and again: the least that a shuffle can be."""
    cards = list(DECK * decks)

    def shuffle(_: int) -> float:
        for _ in range(SHUFFLES):
            random.shuffle(cards)
        return 0

    return shuffle


def figure(
    name: str, value: float, floor: float, floor_is: str, *, digits: int | None
) -> dict[str, Any]:
    return {
        "name": name,
        "value": round(value, digits),
        "floor": round(floor, digits),
        "floor_is": floor_is,
        "ratio": round(value / floor, 2),
    }
