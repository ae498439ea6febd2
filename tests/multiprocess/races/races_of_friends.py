"""Two who do something about each other at the same moment. Run by ``test_postgresql.py``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from django.utils import timezone

from accounts.models import User
from tables.game import account_deletion, lifecycle
from tables.models import Block, Friendship, Notice, Table
from tables.social import call_sender, friends, invites_by_name, notices
from tables.social.friends import NotPossible
from tests.helpers.table_client import TableClient
from tests.multiprocess.parallel import at_once
from tests.social.test_friends import befriend

pytestmark = pytest.mark.django_db(transaction=True)

TIMES = 8


def trying(
    work: Callable[..., object], user: User, other: User, *rest: object
) -> Callable[[], str]:
    def run() -> str:
        try:
            work(user.pk, other.username, timezone.now(), *rest)
        except NotPossible:
            return "refused"
        return "done"

    return run


def forget_all() -> None:
    for model in (Notice, Friendship, Block):
        model._default_manager.all().delete()


def test_case_66_two_who_ask_each_other_at_once_are_friends(ann: User, ben: User) -> None:
    for _ in range(TIMES):
        answers = at_once([trying(friends.ask, ann, ben), trying(friends.ask, ben, ann)])
        assert answers == ["done", "done"]
        assert Friendship.objects.get().state == "friends"
        assert Notice.objects.filter(kind="asked").count() == 0
        forget_all()


def test_case_66_one_request_arrives_many_times_at_once(ann: User, ben: User) -> None:
    answers = at_once([trying(friends.ask, ann, ben) for _ in range(10)])
    assert Counter(answers) == {"done": 1, "refused": 9}
    assert Notice.objects.count() == Friendship.objects.count() == 1


@pytest.mark.parametrize("meanwhile", ["withdraw", "block"])
def test_case_67_an_accept_meets_a_withdrawal_or_a_block(
    ann: User, ben: User, meanwhile: str
) -> None:
    """Either comes first: there are no friends who have blocked each other or were not asked."""
    for _ in range(TIMES):
        friends.ask(ann.pk, "ben", timezone.now())
        accepted, _other = at_once(
            [trying(friends.accept, ben, ann), trying(getattr(friends, meanwhile), ann, ben)]
        )
        states = list(Friendship.objects.values_list("state", flat=True))
        if meanwhile == "block":
            assert "friends" not in states
        else:
            assert (states == ["friends"]) == (accepted == "done")
        forget_all()


def test_case_67_a_request_to_an_account_that_is_being_deleted(ann: User, ben: User) -> None:
    at_once(
        [
            trying(friends.ask, ann, ben),
            lambda: str(account_deletion.delete_account(ben.pk, timezone.now())),
        ]
    )
    assert not Friendship.objects.exists()
    assert not Notice.objects.exists()


def test_case_68_an_invite_to_a_table_that_closes(ann: User, ben: User) -> None:
    befriend(ann, ben)
    Notice.objects.all().delete()
    row = lifecycle.open_table(name="Kitchen", rules_key="casino", host_id=ann.pk, is_private=True)
    TableClient(row.pk).sit(ann, 1)

    def close() -> str:
        Table.objects.filter(pk=row.pk).update(closed_at=timezone.now())
        return "done"

    at_once([trying(invites_by_name.invite, ann, ben, row.pk), close])
    assert notices.count_new(ben.pk) == 0
    assert notices.list_shown(ben.pk, timezone.now()) == []


def test_case_69_a_friend_is_called_once_by_twenty_processes(ann: User, ben: User) -> None:
    from tests.social.test_calls_of_friends import device_of

    befriend(ann, ben)
    table = lifecycle.open_table(name="Porch", rules_key="casino", host_id=ann.pk, is_private=False)
    (notice_id,) = invites_by_name.notify_friends(table, timezone.now()).calls
    device_of(ben, friends=True)
    called = at_once([lambda: call_sender.claim_news_calls(notice_id) for _ in range(20)])
    assert sum(map(len, called)) == 1
