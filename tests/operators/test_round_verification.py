"""A stored round is played again from its seed and its commands, and held against its row."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from django.db import connection

from accounts.audit_log import Operator
from accounts.lib.sql.append_only import make_append_only, make_changeable
from accounts.models import HouseSettings, User, WalletEntry
from tables.engine.presets import PRESETS
from tables.game import commit, shoes
from tables.models import Change, Result, Round, Shoe
from tables.models.play import encode_words
from tables.operators.players.freezing import freeze
from tables.operators.rounds import voids
from tables.operators.rounds.verification import Verdict, verify_round
from tables.state.live_table import LiveTable
from tests.helpers import changes
from tests.helpers.rounds import (
    after,
    least_stake,
    new_table,
    play_round,
    round_at_random,
    sit_down,
)
from tests.helpers.settled_hands import change_hands
from tests.helpers.table_client import TableClient, code, new_player

pytestmark = pytest.mark.django_db

Operators = Callable[..., User]
Stack = Callable[..., None]


def finished() -> list[Round]:
    rounds = Round.objects.filter(finished_at__isnull=False, dealt_at__isnull=False)
    return list(rounds.select_related("table", "shoe").order_by("pk"))


def opened(at: TableClient) -> None:
    """Retire the shoe that is in use, as an empty table does."""
    live = LiveTable.lock(at.table_id, at.now)
    shoes.retire_in_use(live)
    commit.commit_table(live)


def find_fault(round_: Round) -> str:
    """What the check says is wrong."""
    checked = verify_round(Round.objects.select_related("table", "shoe").get(pk=round_.pk))
    assert checked.verdict == Verdict.WRONG, checked
    return checked.words


@pytest.fixture
def vegas(db: None) -> TableClient:
    """A long shoe."""
    return new_table("vegas")


@pytest.fixture
def one(ann: User) -> Round:
    """A round of the casino in which ann hit once and stood; its shoe was its own, and is open."""
    at = new_table("casino")
    sit_down(at, ann, adds_words=True)
    stood = 0
    while not stood:
        at.bet(ann, 1000)
        if at.view.asked is not None:
            at.act(ann, "hit")
        while at.view.asked is not None:
            at.act(ann, "stand")
            stood += 1
    opened(at)
    (*_, round_) = finished()
    assert verify_round(round_).verdict == Verdict.RIGHT
    return round_


# Every round


class Evening:
    """Three at one table: they change bets, quit in mid-round, and leave things to the clock."""

    def __init__(self, key: str, seed: int) -> None:
        self.at = new_table(key)
        self.chance = Random(f"{key} {seed}")
        names = ("ann", "ben", "cleo")[: self.at.row.rules.seats]
        self.players = [new_player(name) for name in names]

    def play(self, rounds: int) -> None:
        for _ in range(rounds):
            self.at.later(3)
            self._sit()
            self._bet()
            self._decide()

    def _sit(self) -> None:
        for seat, user in enumerate(self.players, start=1):
            if seat not in self.at.live.seats:
                assert code(self.at.sit(user, seat, f"of {user.username}")) == "done"

    def _bet(self) -> None:
        least = least_stake(self.at)
        for user in self.players:
            if self.chance.random() < 0.2 and user is not self.players[-1]:
                self.at.bet(user, 2 * least)
            if self.chance.random() < 0.1 and user is not self.players[0]:
                continue
            self.at.bet(user, least * self.chance.randint(1, 3))
        if self.at.live.game.bets:
            self.at.time_is_up()

    def _decide(self) -> None:
        while (view := self.at.view).asked is not None:
            self.at.later(1)
            turn = self.chance.choice(view.insurance) if view.insurance else view.asked
            chance, user = self.chance.random(), self.players[turn.seat - 1]
            if chance < 0.1:
                self.at.time_is_up()
            elif chance < 0.2:
                self.at.leave(self.chance.choice(self.players))
            else:
                assert code(self.at.act(user, self.chance.choice(turn.legal))) == "done"


@pytest.mark.parametrize("key", list(PRESETS))
@pytest.mark.parametrize("seed", range(2))
def test_every_round_that_is_stored_comes_out_again(
    key: str, seed: int, operator: Operators
) -> None:
    evening = Evening(key, seed)
    evening.play(14)
    opened(evening.at)
    HouseSettings.objects.update(void_limit=10**9)
    by = Operator(operator("manager").pk)
    for number, round_ in enumerate(finished()):
        checked = verify_round(round_)
        assert checked.verdict == Verdict.RIGHT, (round_, checked.words)
        if number % 5 == 0:
            voids.request_void(round_.pk, by, "A test.", evening.at.now)
            round_.refresh_from_db()
            assert verify_round(round_).verdict == Verdict.RIGHT
    assert len(finished()) > 5


@pytest.mark.parametrize("forged", [None, "decline", "order"])
def test_answers_about_insurance_are_compared_with_what_was_played(
    vegas: TableClient, ann: User, ben: User, cleo: User, forged: str | None
) -> None:
    sit_down(vegas, ann, ben, cleo, adds_words=True)
    for _ in range(200):
        for user in (ann, ben, cleo):
            vegas.bet(user, 1000)
        if vegas.view.insurance:
            break
        while vegas.view.asked is not None:
            vegas.time_is_up()
    answered = vegas.row.seq + 1
    for user, answer in ((cleo, "insure"), (ann, "decline"), (ben, "decline")):
        assert code(vegas.act(user, answer)) == "done"
    while vegas.view.asked is not None:
        vegas.time_is_up()
    opened(vegas)
    change = Change.objects.get(table=vegas.table_id, seq=answered)
    if forged == "decline":
        text = change.command.replace('"insure"', '"decline"')
        changes.rewrite(change, command=text)
    elif forged == "order":
        (event,) = change.events
        changes.rewrite(change, events=[event | {"seat": 2}])
    (round_,) = [one for one in finished() if one.pk == change.round_id]
    expected = Verdict.RIGHT if forged is None else Verdict.WRONG
    assert verify_round(round_).verdict == expected, verify_round(round_).words


def test_what_is_decided_for_who_was_frozen_is_known(
    casino: TableClient, ann: User, ben: User, operator: Operators
) -> None:
    sit_down(casino, ann, ben, adds_words=True)
    while casino.view.asked is None or casino.view.asked.seat != 1:
        casino.bet(ann, 1000)
        casino.bet(ben, 1000)
        if casino.view.asked is not None and casino.view.asked.seat == 2:
            casino.act(ben, "stand")
    freeze(Operator(operator("manager").pk), ben.pk, "A test.", casino.now)
    casino.later(1)
    casino.act(ann, "stand")
    assert casino.view.asked is None
    opened(casino)
    assert verify_round(finished()[-1]).verdict == Verdict.RIGHT


def test_who_took_the_bet_back_and_left_before_the_cards_is_no_fault(
    casino: TableClient, ann: User, ben: User, cleo: User, operator: Operators
) -> None:
    sit_down(casino, ann, ben, cleo, adds_words=True)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    casino.leave(ann)
    casino.bet(cleo, 1000)
    while casino.view.asked is not None:
        casino.time_is_up()
    (round_,) = finished()
    assert {result.user for result in Result.objects.filter(round=round_)} == {ben, cleo}
    opened(casino)
    assert verify_round(round_).verdict == Verdict.RIGHT, verify_round(round_).words
    voids.request_void(round_.pk, Operator(operator("manager").pk), "A test.", casino.now)
    round_.refresh_from_db()
    assert verify_round(round_).verdict == Verdict.RIGHT, verify_round(round_).words


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rules", ["casino", "vegas", "pot", "classic"])
def test_a_round_that_was_voided_in_play_is_right_up_to_there(
    rules: str, seed: int, ann: User, ben: User, operator: Operators
) -> None:
    at = new_table(rules)
    sit_down(at, ann, ben, adds_words=True)
    decisions, chance = 0, Random(seed)
    while not decisions:
        for played in round_at_random(at, [ann, ben], chance):
            is_asked = after(played).asked is not None
            decisions += is_asked
            if decisions == 2:
                break
        decisions *= is_asked
    round_ = Round.objects.latest("pk")
    voids.request_void(round_.pk, Operator(operator("manager").pk), "A test.", at.now)
    opened(at)
    round_.refresh_from_db()
    checked = verify_round(round_)
    assert checked.verdict == Verdict.RIGHT, checked.words
    assert "up to its cancellation" in checked.words
    Result.objects.filter(round=round_, user=ann).update(outcome="win")
    assert find_fault(round_).startswith("Result of user ")


# What cannot be told


def test_while_the_shoe_is_in_use_nothing_is_told(vegas: TableClient, ann: User) -> None:
    sit_down(vegas, ann, adds_words=True)
    play_round(vegas, [ann], Random(3))
    (round_,) = finished()
    checked = verify_round(round_)
    assert (checked.verdict, "still in use" in checked.words) == (Verdict.UNTOLD, True)
    # Not even where the round would be found to differ.
    change_hands(Result.objects.all(), payout=7)
    assert verify_round(round_) == checked


def test_a_round_that_is_played_cannot_be_told(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("Ts 9h 6d Kd")
    sit_down(casino, ann, adds_words=True)
    casino.bet(ann, 1000)
    round_ = Round.objects.get()
    assert verify_round(round_).verdict == Verdict.UNTOLD


def test_a_round_from_before_shoes_were_sealed_cannot_be_told(one: Round) -> None:
    Round.objects.update(shoe=None, first_card=None)
    one.refresh_from_db()
    checked = verify_round(one)
    assert (checked.verdict, "before shoes" in checked.words) == (Verdict.UNTOLD, True)


# What was changed afterwards


def change_books(entry: WalletEntry, **values: Any) -> None:
    with connection.schema_editor() as editor:
        make_changeable(editor, "accounts_walletentry")
    WalletEntry.objects.filter(pk=entry.pk).update(**values)
    with connection.schema_editor() as editor:
        make_append_only(editor, "accounts_walletentry")


def test_another_payout_in_a_hand_is_found(one: Round) -> None:
    change_hands(Result.objects.filter(round=one), payout=1)
    assert find_fault(one).startswith("Hand 1 of seat 1: ")


def test_another_payout_in_the_events_is_found(one: Round) -> None:
    (change,) = changes.find_by_event(one, "hand_settled")
    for event in change.events:
        if event["type"] == "hand_settled":
            event["payout"] += 1
    changes.rewrite(change)
    words = find_fault(one)
    assert words.startswith(f"Change {change.seq}: recomputed hand_settled seat=1 hand=1")


@pytest.mark.parametrize("name", ["outcome", "stake", "payout"])
def test_another_result_is_found(one: Round, name: str) -> None:
    value = "push" if name == "outcome" else 1
    if name == "outcome":
        value = "win" if Result.objects.get(round=one).outcome != "win" else "lose"
    Result.objects.filter(round=one).update(**{name: value})
    assert find_fault(one).startswith("Result of user")


def test_a_void_result_of_a_round_that_is_not_void_is_found(one: Round) -> None:
    Result.objects.filter(round=one).update(outcome="void", stake=0, payout=0)
    assert find_fault(one).startswith("Result of user")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "values", [{"amount": 999}, {"kind": "refund"}, {"place": "x"}, {"round": 0}]
)
def test_another_entry_is_found(one: Round, values: dict[str, Any]) -> None:
    entry = WalletEntry.objects.filter(round=one.pk).latest("pk")
    change_books(entry, **values)
    changed = {"place": f"round:{one.pk}/x"}.get(next(iter(values)), entry.reference)
    assert find_fault(one).startswith(f"Transfer {changed}: ")


@pytest.mark.parametrize(
    ("old", "new"),
    [("hit", "stand"), ("hit", "surrender"), ("hit", "leave"), ("bet", "hit"), ("hit", "nonsense")],
)
def test_another_command_is_found(one: Round, old: str, new: str) -> None:
    (change,) = changes.find_by_command(one, old)
    command = json.loads(change.command) | {"t": new}
    if new == "leave":
        del command["turn"]
    if old == "bet":
        del command["stake"], command["words"]
    changes.rewrite(change, command=json.dumps(command))
    assert find_fault(one).startswith(f"Change {change.seq}:")


def test_another_stake_in_the_command_is_found(one: Round) -> None:
    (change,) = changes.find_by_command(one, "bet")
    text = change.command.replace("1000", "2000")
    changes.rewrite(change, command=text)
    assert "the command is not the bet that was placed" in find_fault(one)


def test_other_words_for_the_shuffle_are_found(one: Round, ann: User) -> None:
    assert one.first_card == 0
    (change,) = changes.find_by_command(one, "bet")
    changes.rewrite(change, command=change.command.replace("words of", "lies of"))
    assert "shuffle words in the bets differ" in find_fault(one)
    other = {"seat": 1, "commitment": "00" * 32, "words": "other words"}
    for words in (encode_words([other]), "damaged", "[1]", "{}"):
        Shoe.objects.filter(pk=one.shoe_id).update(words=words)
        assert find_fault(one).startswith("Change")


def test_somebody_elses_command_is_found(one: Round, ben: User) -> None:
    (hit,) = changes.find_by_command(one, "hit")
    Change.objects.filter(pk=hit.pk).update(user=ben)
    assert "it was not this player's turn" in find_fault(one)


def test_a_change_that_is_missing_is_found(one: Round) -> None:
    (hit,) = changes.find_by_command(one, "hit")
    hit.delete()
    assert find_fault(one)


def test_another_card_is_found(one: Round) -> None:
    change = changes.find_by_event(one, "dealer_card_dealt")[0]
    first = next(event for event in change.events if event["type"] == "card_dealt")
    first["card"] = "As" if first["card"] != "As" else "Ks"
    changes.rewrite(change)
    assert f"stored card_dealt seat=1 hand=1 card={first['card']}" in find_fault(one)


def test_other_cards_of_the_dealer_are_found(one: Round) -> None:
    Round.objects.filter(pk=one.pk).update(dealer_cards="As Ks")
    assert find_fault(one).startswith("Dealer's cards:")


def test_another_place_in_the_shoe_is_found(one: Round) -> None:
    Round.objects.filter(pk=one.pk).update(first_card=(one.first_card or 0) + 1)
    assert find_fault(one)


def test_another_secret_is_found(one: Round) -> None:
    Shoe.objects.filter(pk=one.shoe_id).update(secret="00" * 32)
    assert find_fault(one) == "The secret of the shoe does not match its seal."


def test_a_decision_of_nobody_is_found(one: Round) -> None:
    """A hand stood by the clock, and the clock is taken out."""
    (stood,) = changes.find_by_command(one, "stand")
    changes.rewrite(stood, command="")
    Change.objects.filter(pk=stood.pk).update(user=None)
    assert "nobody decided what was done" in find_fault(one)
