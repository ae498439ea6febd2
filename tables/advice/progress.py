"""The figures of practice that an account keeps, for each game (a rule set with its options).

A browser keeps its own figures and sends what was answered since the last time. Those of before a
login are sent once, with the first page after it.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from django.db import transaction

from accounts.models import User
from tables.models import PracticeProgress

MOST_GAMES: Final = 20
"""As in static/js/practice/progress.js, which adds in the same way."""
MOST_SPOTS: Final = 60
MOST_WEIGHT: Final = 6
MOST_BATCHES: Final = 8
"""The batches that are remembered: a browser that heard no answer sends its batch again."""

MOST: Final = 10**12
"""The limit of each figure, far above what anybody plays."""
Number = Annotated[int, msgspec.Meta(ge=0, le=MOST)]
Weight = Annotated[int, msgspec.Meta(ge=-100, le=100)]
Spot = Annotated[str, msgspec.Meta(pattern=r"^(hard|soft|pairs|insurance)-[0-9TA]{1,2}-[2-9TA]$")]
Game = Annotated[str, msgspec.Meta(pattern=r"^rules=[\w%&=:.-]{1,200}$")]
Batch = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-z-]{8,40}$")]


class Figures(msgspec.Struct, forbid_unknown_fields=True):
    """The figures of a game, or of a part of it."""

    hands: Number = 0
    right: Number = 0
    late: Number = 0
    """Hands without an answer in time."""
    cost: Number = 0
    """The cost of all answers, in millionths of a bet."""
    lead: Number = 0
    """The right answers in a row at the start."""
    streak: Number = 0
    """The right answers in a row at the end."""
    best: Number = 0
    """The most right answers in a row."""
    missed: dict[Spot, Weight] = msgspec.field(default_factory=dict)
    """The weights of missed spots, the latest last; in a part, their changes."""


class Sent(msgspec.Struct, forbid_unknown_fields=True):
    """What a browser sends: a batch of answers, or a reset of one game."""

    batch: Batch = ""
    games: Annotated[dict[Game, Figures], msgspec.Meta(max_length=MOST_GAMES)] = msgspec.field(
        default_factory=dict
    )
    reset: Game | None = None


def add_figures(before: Figures, after: Figures) -> Figures:
    """The figures of two times, one after the other."""
    missed = dict(before.missed)
    for spot, weight in after.missed.items():
        missed[spot] = min(MOST_WEIGHT, missed.pop(spot, 0) + weight)
    spots = [(spot, weight) for spot, weight in missed.items() if weight > 0]
    lead = before.lead + after.lead if before.lead == before.hands else before.lead
    streak = before.streak + after.hands if after.streak == after.hands else after.streak
    return Figures(
        hands=min(before.hands + after.hands, MOST),
        right=min(before.right + after.right, MOST),
        late=min(before.late + after.late, MOST),
        cost=min(before.cost + after.cost, MOST),
        lead=min(lead, MOST),
        streak=min(streak, MOST),
        best=min(max(before.best, after.best, before.streak + after.lead), MOST),
        missed=dict(spots[-MOST_SPOTS:]),
    )


def parse_sent(body: bytes) -> Sent:
    """What a browser sent. Raises ``msgspec.MsgspecError``."""
    return msgspec.json.decode(body, type=Sent)


def load(user: User) -> dict[str, Any]:
    """The figures by game, as JSON values."""
    row = PracticeProgress.objects.filter(user=user).first()
    return row.games if row else {}


def apply(user: User, sent: Sent) -> dict[str, Any]:
    """Add a batch once, or reset a game; return the figures by game."""
    with transaction.atomic():
        # The user's row is locked, as a first row of progress cannot be. A deleted user has none.
        if not User.objects.select_for_update(no_key=True).filter(pk=user.pk, is_active=True):
            return {}
        row = PracticeProgress.objects.filter(user=user).first() or PracticeProgress(user=user)
        if sent.reset is not None:
            row.games.pop(sent.reset, None)
        if sent.games and sent.batch not in row.batches:
            for game, part in sent.games.items():
                before = msgspec.convert(row.games.pop(game, {}), Figures)
                row.games[game] = msgspec.to_builtins(add_figures(before, part))
            row.games = dict(list(row.games.items())[-MOST_GAMES:])
            row.batches = [*row.batches, sent.batch][-MOST_BATCHES:]
        row.save()
    games: dict[str, Any] = row.games
    return games
