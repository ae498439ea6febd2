"""The host changes the settings of the table, from the next round on, and all see who did it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from accounts.models import Act, User
from tables.engine.errors import OptionError
from tables.game import host_commands, pending_settings
from tables.game.pending_settings import (
    AccessIsFixed,
    ChangedMeanwhile,
    EditOutcome,
    NotHost,
    TableIsClosed,
)
from tables.state.effects import Effects
from tests.game.test_host_commands import anns, close, hand_on, made_by, operator
from tests.helpers.rounds import faults, play_round, sit_down, types
from tests.helpers.table_client import TableClient, code, events

pytestmark = pytest.mark.django_db
__all__ = ["anns", "operator"]

IN_PLAY = "Ts Td 6h 9d 8c Kc Th"
"""Ann and ben are both asked."""


def mark(at: TableClient) -> str:
    return pending_settings.settings_hash(pending_settings.pending_or_current(at.row))


def change(at: TableClient, user: User, **new_settings: Any) -> Effects[EditOutcome]:
    return host_commands.edit_settings(user.pk, at.table_id, mark(at), new_settings, at.now)


def list_events(edited: Effects[EditOutcome]) -> list[dict[str, Any]]:
    return [event for notice in edited.changes for event in notice.changed.events]


def test_between_rounds_a_change_holds_at_once_and_names_the_host(
    anns: TableClient, ann: User, ben: User
) -> None:
    sit_down(anns, ann, ben)
    edited = change(anns, ann, name="Late", rules_options={"minimum": 2500}, betting_seconds=45)
    assert edited.value is EditOutcome.HOLDS
    assert list_events(edited) == [{"type": "table_changed", "player": "ann"}]
    row = anns.row
    assert (row.name, row.betting_seconds, row.coming, row.coming_by) == ("Late", 45, None, "")
    assert code(anns.bet(ben, 1000)) == "bad_bet"
    assert code(anns.bet(ben, 2500)) == "done"
    assert not Act.objects.exists(), "a host is no operator"


def test_a_change_in_mid_round_waits_for_its_end(
    anns: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack(IN_PLAY)
    sit_down(anns, ann, ben)
    for user in (ann, ben):
        anns.bet(user, 1000)
    edited = change(anns, ann, rules_options={"minimum": 2500})
    assert edited.value is EditOutcome.WAITS
    assert list_events(edited) == [{"type": "table_changing", "player": "ann", "on": True}]
    anns.act(ann, "stand")
    last = events(anns.act(ben, "stand"))
    assert {"type": "table_changed", "player": "ann"} in last
    stakes = anns.row.rules.stakes
    assert stakes is not None
    assert stakes.minimum == 2500
    assert (anns.row.coming, anns.row.coming_by) == (None, "")
    assert faults() == []


def test_a_change_that_waits_is_taken_back(anns: TableClient, ann: User, ben: User) -> None:
    sit_down(anns, ann, ben)
    anns.bet(ann, 1000)
    change(anns, ann, name="Other")
    edited = change(anns, ann, name="Friday night")
    assert edited.value is EditOutcome.TAKEN_BACK
    assert list_events(edited) == [{"type": "table_changing", "player": "ann", "on": False}]
    assert anns.row.coming is None


def test_nothing_changed_is_nothing_told(anns: TableClient, ann: User) -> None:
    assert change(anns, ann) == Effects(EditOutcome.NOTHING)
    assert change(anns, ann, name="Friday night") == Effects(EditOutcome.NOTHING)


def test_a_game_of_piles_keeps_its_rules(ann: User) -> None:
    at = made_by(ann, "piles")
    sit_down(at, ann)
    play_round(at, [ann], Random(1))
    edited = change(at, ann, name="Other", rules_options={"hits_soft_17": True})
    assert edited.value is EditOutcome.WAITS
    assert types(list_events(edited)) == ["table_changing", "table_changed"]
    assert (at.row.name, at.row.rules_options) == ("Other", {})


def test_nobody_else_changes_anything(
    anns: TableClient, ann: User, ben: User, operator: User
) -> None:
    sit_down(anns, ann, ben)
    others = made_by(ben)
    for user, at in ((ben, anns), (operator, anns), (ann, others)):
        before = at.row.seq
        with pytest.raises(NotHost, match="Only the table's host"):
            change(at, user, name="Mine")
        assert (at.row.seq, at.row.name) == (before, "Friday night")


def test_a_former_host_and_a_frozen_one_change_nothing(
    anns: TableClient, ann: User, ben: User
) -> None:
    sit_down(anns, ann, ben)
    anns.send(ann, hand_on("ben"))
    with pytest.raises(NotHost):
        change(anns, ann, name="Mine")
    change(anns, ben, name="Bens")
    User.objects.filter(pk=ben.pk).update(is_active=False)
    with pytest.raises(NotHost):
        change(anns, ben, name="Mine")
    assert anns.row.name == "Bens"


def test_a_form_that_is_sent_twice_changes_once(anns: TableClient, ann: User) -> None:
    settings_hash = mark(anns)
    for _ in range(2):
        try:
            host_commands.edit_settings(
                ann.pk, anns.table_id, settings_hash, {"name": "Other"}, anns.now
            )
        except ChangedMeanwhile:
            break
    else:
        pytest.fail("the second one changed something")
    assert anns.row.seq == 1


def test_conflicting_options_are_refused_with_the_reason(anns: TableClient, ann: User) -> None:
    with pytest.raises(OptionError) as refused:
        change(anns, ann, rules_options={"minimum": 5000, "maximum": 1000})
    assert refused.value.message
    assert anns.row.rules_options == {}


def test_a_closed_table_is_not_changed(anns: TableClient, ann: User) -> None:
    anns.send(ann, close())
    with pytest.raises(TableIsClosed):
        change(anns, ann, name="Other")


def test_a_table_becomes_private_or_public_before_its_first_round_only(
    ann: User, ben: User
) -> None:
    at = made_by(ann)
    change(at, ann, is_private=True)
    assert at.row.is_private
    change(at, ann, is_private=False)
    sit_down(at, ann)
    play_round(at, [ann], Random(1))
    with pytest.raises(AccessIsFixed, match="Rounds were played here"):
        change(at, ann, is_private=True)
    assert change(at, ann, name="Other").value is EditOutcome.HOLDS


def test_a_host_does_not_touch_what_the_bank_gives(anns: TableClient, ann: User) -> None:
    from tables.lobby.forms import HostForm

    form = HostForm(anns.row.rules_key, has_rounds=False, is_public=True)
    assert not {"fill_limit", "is_locked", "rules_key", "reason"} & set(form.fields)
