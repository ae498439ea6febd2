"""Operators open tables from a preset with options."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import Account, User
from tables.models import Table

pytestmark = pytest.mark.django_db

ADD = "/admin/tables/new/"


@pytest.fixture
def counter(admin_user: User, client: Client) -> Client:
    client.force_login(admin_user)
    return client


def form(**changed: Any) -> dict[str, Any]:
    """The form as the page offers it, with some fields filled in."""
    return {
        "name": "Strip", "rules_key": "vegas", "betting_seconds": 20, "turn_seconds": 30, **changed
    }  # fmt: skip


def complaints(client: Client, **changed: Any) -> dict[str, list[str]]:
    answer = client.post(ADD, form(**changed))
    assert answer.status_code == 200, "the form was accepted"
    assert not Table.objects.exists()
    errors: dict[str, list[str]] = answer.context["form"].errors
    return {name: list(sentences) for name, sentences in errors.items()}


def test_a_preset_is_opened_as_it_is(counter: Client) -> None:
    assert counter.post(ADD, form()).status_code == 302
    table = Table.objects.get()
    assert (table.name, table.rules_key, table.rules_options) == ("Strip", "vegas", {})
    assert (table.rack.kind, table.rack.balance) == (Account.Kind.RACK, 0)
    assert str(table.rack) == f"rack (account {table.rack_id})"
    assert table.opened_at is not None


def test_what_is_filled_in_is_played_differently(counter: Client) -> None:
    filled = form(decks=8, natural_pays="6:5", hits_soft_17="yes", surrender="no", minimum=25)
    counter.post(ADD, filled)
    rules = Table.objects.get().rules
    assert rules.stakes is not None
    assert (rules.decks, str(rules.natural_pays), rules.stakes.minimum) == (8, "6/5", 2500)
    assert (rules.hits_soft_17, rules.surrender, rules.insurance) == (True, False, True)


def test_no_largest_bet_is_a_box_to_tick(counter: Client) -> None:
    counter.post(ADD, form(no_maximum="on"))
    stakes = Table.objects.get().rules.stakes
    assert stakes is not None
    assert stakes.maximum is None


@pytest.mark.parametrize(
    ("changed", "field", "why"),
    [
        (
            {"decks": 1},
            "decks",
            "The last round of a shoe may have only 13 cards left, and a round can take 78. "
            "Choose more decks, fewer seats or fewer hands after splitting.",
        ),
        ({"decks": 9}, "decks", "Decks can't be 9. 1 to 8."),
        ({"maximum": 4}, "maximum", "The maximum bet can't be below the minimum bet."),
        (
            {"peek": "no"},
            "insurance",
            "Insurance needs the dealer's check for blackjack. Turn that on too.",
        ),
        (
            {"rules_key": "classic", "double_down": "yes"},
            "double_down",
            "Doubling needs bets, and this rule set has none.",
        ),
        (
            {"rules_key": "pot", "max_hands": 2},
            "max_hands",
            "Splitting isn't possible when the dealer matches bets.",
        ),
        ({"rules_key": "heads-up", "seats": 2}, "seats", "Heads-up has at most 1."),
        ({"rules_key": "piles", "decks": 2}, "decks", "Piles uses one deck."),
        ({"turn_seconds": 1}, "turn_seconds", "Between 5 and 300 seconds."),
    ],
)
def test_what_cannot_be_played_is_refused_with_the_reason(
    counter: Client, changed: dict[str, Any], field: str, why: str
) -> None:
    assert complaints(counter, **changed) == {field: [why]}


def test_the_list_says_what_is_played_differently(counter: Client) -> None:
    counter.post(ADD, form(natural_pays="6:5"))
    assert "blackjack pays 6 to 5" in counter.get("/admin/tables/table/").content.decode()


def test_an_open_table_is_looked_at_and_not_changed(counter: Client) -> None:
    counter.post(ADD, form())
    page = f"/admin/tables/table/{Table.objects.get().pk}/change/"
    assert counter.get(page).status_code == 200
    assert counter.post(page, form(name="Other")).status_code == 403


def test_a_dealer_who_matches_bets_is_given_chips(counter: Client) -> None:
    counter.post(ADD, form(rules_key="pot"))
    assert Table.objects.get().rack.balance == 1_000_000


def test_who_may_not_add_tables_is_refused(ann: User, client: Client) -> None:
    ann.is_staff = True
    ann.save()
    client.force_login(ann)
    assert client.post(ADD, form()).status_code == 403
