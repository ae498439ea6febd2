"""What the options of a table cost: its edge, and that of each option, compared with its preset."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from tables.advice import game_odds
from tables.engine.errors import OptionError
from tables.engine.options import OPTIONS, WITHOUT_ODDS, customize, verify_options
from tables.engine.presets import PRESETS
from tables.engine.rules import Ruleset
from tables.lobby.forms import format_value
from tables.odds.games import Game
from tables.texts.odds import EVEN, describe_cost, describe_edge


@dataclass(frozen=True, slots=True)
class OptionCosts:
    """The value of chosen options in words, for the form that opens a table."""

    edge: str
    compared: str
    """The difference from the preset; empty for the preset itself."""
    costs: dict[str, str]
    """What each changed option costs, by its name."""


def describe_costs(
    key: str, options: Mapping[str, Any], is_wanted: Callable[[], bool] = lambda: True
) -> OptionCosts | None:
    """Compute what these options cost; ``None`` if it takes too long beside other computations, or
    if ``is_wanted`` says that nobody waits for it any more. What was computed so far is kept.

    Raises :class:`OptionError` for options that do not go together.
    """
    preset, rules = PRESETS[key], customize(key, options)
    names = [
        name
        for name in OPTIONS
        if name not in WITHOUT_ODDS and getattr(rules, name) != getattr(preset, name)
    ]
    end = time.monotonic() + game_odds.PATIENCE

    def get(ruleset: Ruleset) -> Game | None:
        seconds = end - time.monotonic()
        if seconds <= 0:
            return game_odds.find(ruleset)
        return game_odds.get(ruleset, seconds, is_wanted)

    usual, game = get(preset), get(rules)
    if usual is None or game is None:
        return None
    costs = {}
    for name in names:
        pair = compared_rules(name, preset, rules)
        if pair is None:
            continue
        after, before = map(get, pair)
        if after is None or before is None:
            return None
        costs[name] = _("%(now)s instead of %(before)s: %(cost)s") % {
            "now": format_value(name, rules),
            "before": format_value(name, preset),
            "cost": describe_cost(rules, before.ev - after.ev),
        }
    return OptionCosts(
        edge=describe_edge(rules, game),
        compared=_compare(rules, preset, usual.ev - game.ev) if names else "",
        costs=costs,
    )


def _compare(rules: Ruleset, preset: Ruleset, cost: float) -> str:
    """The difference of all options together."""
    values = {"cost": describe_cost(rules, cost), "title": _(preset.title)}
    if abs(cost) < EVEN:
        return _("The same as with the rules of %(title)s") % values
    return _("%(cost)s than with the rules of %(title)s") % values


def compared_rules(name: str, preset: Ruleset, rules: Ruleset) -> tuple[Ruleset, Ruleset] | None:
    """Rules with and without an option.

    The preset with this option alone; if nobody can play that, the chosen rules and the same
    without the option: a dealer who does not check is possible only without surrender.
    """
    alone = replace(preset, **{name: getattr(rules, name)})
    if _is_playable(alone, preset):
        return alone, preset
    without = replace(rules, **{name: getattr(preset, name)})
    return (rules, without) if _is_playable(without, preset) else None


def _is_playable(rules: Ruleset, preset: Ruleset) -> bool:
    try:
        verify_options(rules, preset)
    except OptionError:
        return False
    return True
