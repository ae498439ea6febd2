"""The figures of practice that an account keeps."""

from __future__ import annotations

import datetime as dt
from typing import Any

import msgspec
import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.models import User
from tables.advice import progress
from tables.advice.progress import Figures, Sent, add_figures, apply, load
from tables.game.account_deletion import delete_account
from tables.game.history_reset import reset_history
from tables.models import PracticeProgress

GAME = "rules=casino"
PATH = "/practice/progress/"


def answers(*costs: int | None) -> Figures:
    """The figures of these answers; ``None`` is one that did not come in time."""
    total = Figures()
    for cost in costs:
        run = int(cost == 0)
        one = Figures(
            hands=1,
            right=run,
            late=int(cost is None),
            cost=cost or 0,
            lead=run,
            streak=run,
            best=run,
        )
        total = add_figures(total, one)
    return total


def test_parts_add_up_to_the_whole_wherever_they_are_cut() -> None:
    costs = (0, 0, 500, None, 0, 0, 0, 70)
    whole = answers(*costs)
    assert msgspec.structs.astuple(whole)[:-1] == (8, 5, 1, 570, 2, 0, 3)
    for cut in range(len(costs) + 1):
        assert add_figures(answers(*costs[:cut]), answers(*costs[cut:])) == whole


def test_missed_spots_are_weighed_and_bounded() -> None:
    old = Figures(missed={"hard-16-T": 5, "soft-18-9": 1, "pairs-88-A": 2})
    new = Figures(missed={"hard-16-T": 2, "soft-18-9": -1})
    assert list(add_figures(old, new).missed.items()) == [("pairs-88-A", 2), ("hard-16-T", 6)]
    many = Figures(missed={f"hard-{total}-{up}": 1 for total in range(9, 20) for up in "23456789"})
    missed = add_figures(old, many).missed
    assert list(missed) == list(many.missed)[-progress.MOST_SPOTS :]


@pytest.mark.django_db
def test_a_batch_is_added_once_and_games_are_bounded(ann: User) -> None:
    sent = Sent(batch="0000-0001", games={GAME: answers(0, 30)})
    apply(ann, sent)
    assert apply(ann, sent)[GAME]["hands"] == 2
    apply(ann, Sent(batch="0000-0002", games=sent.games))
    assert load(ann)[GAME]["cost"] == 60
    for number in range(progress.MOST_GAMES):
        apply(
            ann, Sent(batch=f"batch-{number:04}", games={f"rules=vegas&decks={number}": Figures()})
        )
    row = PracticeProgress.objects.get(user=ann)
    assert len(row.games) == progress.MOST_GAMES
    assert GAME not in row.games
    assert len(row.batches) == progress.MOST_BATCHES


@pytest.mark.django_db
def test_a_browser_sends_its_figures_and_the_page_has_them(client: Client, ann: User) -> None:
    cache.clear()
    client.force_login(ann)
    body: dict[str, Any] = {
        "batch": "0000-0001", "games": {GAME: msgspec.to_builtins(answers(0, 41_000))}
    }  # fmt: skip
    answer = client.post(PATH, body, content_type="application/json")
    assert answer.json()["games"][GAME]["cost"] == 41_000
    assert '"cost": 41000' in client.get("/practice/").content.decode()
    answer = client.post(PATH, {"reset": GAME}, content_type="application/json")
    assert answer.json() == {"games": {}}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "body",
    [
        "{",
        "[]",
        '{"games": {"x": {}}}',
        '{"games": {"rules=casino": {"hands": -1}}}',
        '{"games": {"rules=casino": {"hands": 1e99}}}',
        '{"games": {"rules=casino": {"missed": {"<b>": 1}}}}',
        '{"games": {"rules=casino": {"more": 1}}}',
    ],
)
def test_what_is_no_progress_is_refused(client: Client, ann: User, body: str) -> None:
    client.force_login(ann)
    assert client.post(PATH, body, content_type="application/json").status_code == 400
    assert not PracticeProgress.objects.exists()


@pytest.mark.django_db
def test_progress_goes_with_the_history_and_with_the_account(ann: User, ben: User) -> None:
    sent = Sent(batch="0000-0001", games={GAME: answers(0)})
    for user in (ann, ben):
        apply(user, sent)
    reset_history(ann.pk)
    assert load(ann) == {}
    assert load(ben) != {}
    apply(ann, sent)
    delete_account(ann.pk, timezone.now() + dt.timedelta(seconds=1))
    assert load(ann) == {}
    assert apply(ann, sent) == {}  # a request that came at the same moment
    assert not PracticeProgress.objects.filter(user=ann).exists()
