"""Luck and skill on the page of figures: sums by rule set, and the band of usual luck."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import User
from tables.engine.cards import DECK, format_cards, parse_cards
from tables.models import Grade, Result
from tables.realtime import grading_worker
from tables.records.skill import skill_stats
from tables.records.skill.skill_stats import LuckPoint, draw_luck_chart
from tables.results import projector
from tests.helpers.rounds import new_table, sit_down

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
WON, LOST = "Ts 9h 9d 7c Tc", "5s 6h 9d Tc 2d"


@pytest.fixture
def played(ann: User, stack: Stack) -> User:
    """Two rounds of pot, won and thrown away, a round of classic, and a hand of piles."""
    first = parse_cards("Ts 9s 8d Kc")
    deck = format_cards([*first, *(card for card in DECK if card not in first)])
    stack(WON, LOST, deck, deck)
    pot, classic, piles = new_table("pot"), new_table("classic"), new_table("piles")
    for at, stake, rounds in ((pot, 1000, 2), (classic, 0, 1), (piles, 0, 1)):
        sit_down(at, ann)
        for _ in range(rounds):
            at.bet(ann, stake)
            at.act(ann, "stand")
        at.leave(ann)
    projector.catch_up()
    while grading_worker.grade_batch():
        pass
    return ann


def text(user: User, query: str = "") -> str:
    client = Client()
    client.force_login(user)
    answer = client.get(f"/figures/{query}").content.decode()
    return " ".join(re.sub(r"<[^>]*>", " ", answer[answer.index("<main") :]).split())


def test_the_parts_of_all_rounds_add_up(played: User) -> None:
    total, *by_rules = skill_stats.load_skill(played.pk, None)
    assert [(own.rules_key, own.rounds, own.decisions) for own in by_rules] == [
        ("pot", 2, 2), ("classic", 1, 1), ("piles", 1, 1),
    ]  # fmt: skip
    assert (total.rounds, total.staked_rounds, total.decisions, total.mistakes) == (3, 2, 3, 1)
    assert total.net == sum(result.net for result in Result.objects.all()) == 0
    assert total.money_cost_per_hundred == total.money_cost * 50
    assert total.mistakes_per_hundred == "33.3"
    assert by_rules[0].band == round(2 * sum(g.variance for g in Grade.objects.all()) ** 0.5)
    units = [own.cost_per_hundred.split()[1] for own in (total, *by_rules)]
    assert units == ["bets", "bets", "hands", "cards"]


def test_a_period_and_another_player_have_only_their_own(played: User, ben: User) -> None:
    today = Grade.objects.latest("pk").finished_at.replace(hour=0)
    assert skill_stats.load_skill(played.pk, today) != []
    assert skill_stats.load_skill(played.pk, today + dt.timedelta(days=1)) == []
    assert skill_stats.load_skill(ben.pk, None) == []
    assert skill_stats.build_luck_chart(ben.pk, None) is None


def test_the_page_has_the_picture_and_the_same_as_a_table(played: User, ben: User) -> None:
    page = text(played)
    chart = skill_stats.build_luck_chart(played.pk, None)
    assert chart is not None
    assert chart.last.net == 0
    assert chart.last.expected == sum(g.expectation - g.money_cost for g in Grade.objects.all())
    assert "After 2 rounds with a bet: net 0, expected" in page
    assert "So few rounds say little yet." in page
    assert "Luck and skill by rule set" in page
    assert "Luck and skill" not in text(ben)


def test_what_waits_or_failed_is_not_counted(played: User) -> None:
    Grade.objects.filter(rules_key="pot").update(fault="no cards")
    Grade.objects.filter(rules_key="classic").delete()
    assert [own.rules_key for own in skill_stats.load_skill(played.pk, None)] == ["", "piles"]


def test_the_band_encloses_two_standard_deviations() -> None:
    chart = draw_luck_chart([LuckPoint(0, 0, 0, 0), LuckPoint(30, -5_000, -100, 4_000)])
    assert (chart.is_within, chart.is_early) == (False, False)
    assert [tick.amount for tick in chart.ticks] == [5_000, 0, -5_000]
    assert (chart.net, chart.expected) == ("0.0,100.0 600.0,200.0", "0.0,100.0 600.0,102.0")
    assert chart.band == "0.0,100.0 600.0,22.0 600.0,182.0 0.0,100.0"


def test_many_rounds_have_few_points_and_the_last_one(
    played: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(skill_stats, "MOST_POINTS", 1)
    chart = skill_stats.build_luck_chart(played.pk, None)
    assert chart is not None
    assert [point.rounds for point in chart.points] == [0, 2]
    monkeypatch.setattr(skill_stats, "MOST_ROUNDS", 1)
    chart = skill_stats.build_luck_chart(played.pk, None)
    assert chart is not None
    assert (chart.is_cut, chart.last.net) == (True, -1000)
