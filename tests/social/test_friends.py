"""Friends: what one asks, answers and blocks, and what the other learns of it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from random import Random

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.lib import server_clock
from accounts.models import User
from tables.game import account_deletion, history_reset, lifecycle
from tables.models import Block, Friendship, Notice, OpenPage, ServerProcess, Table
from tables.protocol.frames import Noticed, PublicNotice
from tables.social import friend_list, friends, invites_by_name, notices
from tables.social.friends import NotPossible
from tables.state.effects import Effects
from tests.helpers.rounds import new_table, play_round, sit_down
from tests.helpers.table_client import TableClient, new_player

pytestmark = pytest.mark.django_db

Action = Callable[[int, str, dt.datetime], Effects[str]]
NOW = timezone.now()


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


def do(action: Action, user: User, other: User, now: dt.datetime = NOW) -> Effects[str]:
    return action(user.pk, other.username, now)


def refusal(action: Action, user: User, other: User, now: dt.datetime = NOW) -> str:
    with pytest.raises(NotPossible) as refused:
        do(action, user, other, now)
    return str(refused.value)


def befriend(user: User, other: User) -> None:
    do(friends.ask, user, other)
    do(friends.accept, other, user)


def are_friends(user: User, other: User) -> bool:
    return other.pk in friends.list_friend_ids(user.pk) and user.pk in friends.list_friend_ids(
        other.pk
    )


def frame_to(effects: Effects[str], user: User) -> Noticed:
    """What the pages of this user are told."""
    (frame,) = [frame for topic, frame in effects.frames if topic == f"user.{user.pk}"]
    assert isinstance(frame, Noticed)
    return frame


def notice_to(effects: Effects[str], user: User) -> PublicNotice:
    """The notice that comes to the pages of this user."""
    notice = frame_to(effects, user).notice
    assert notice is not None
    return notice


def sees(user: User, other: User) -> tuple[bool, ...]:
    """Whether the other one is on the lists of the player's page: asks, asked, friend."""
    page = friend_list.build_page(user, {}, NOW)
    return (
        other in page.requests,
        other in page.asked,
        other in [one.user for one in page.friends],
    )


def here(*users: User) -> None:
    """They have a page open, in a process that runs: it was seen now, and not when this module was
    read, which may be minutes ago.
    """
    now = timezone.now()
    ServerProcess.objects.get_or_create(
        key="here", defaults={"host": "here", "pid": 1, "started_at": now, "seen_at": now}
    )
    for user in users:
        OpenPage.objects.create(process="here", user=user)


def test_a_request_is_accepted(ann: User, ben: User) -> None:
    request = do(friends.ask, ann, ben)
    assert request.value == "You have asked ben."
    news = frame_to(request, ben)
    assert news.notice is not None
    assert (news.count, news.notice.kind, news.notice.player) == (1, "asked", "ann")
    assert (sees(ann, ben), sees(ben, ann)) == ((False, True, False), (True, False, False))
    accepted = do(friends.accept, ben, ann)
    assert are_friends(ann, ben)
    assert frame_to(accepted, ben).count == 0, "the request is answered"
    assert notice_to(accepted, ann).kind == "accepted"
    assert refusal(friends.ask, ann, ben) == "You and ben are friends already."


def test_two_who_ask_each_other_are_friends(ann: User, ben: User) -> None:
    do(friends.ask, ann, ben)
    do(friends.ask, ben, ann)
    assert are_friends(ann, ben)
    assert Friendship.objects.count() == 1


def test_names_are_found_in_any_case_and_others_are_refused(ann: User, ben: User) -> None:
    friends.ask(ann.pk, " BEN ", NOW)
    for name, why in (
        ("nobody", "No player has that name."),
        ("", "No player has that name."),
        ("Ann", "That is you."),
    ):
        with pytest.raises(NotPossible, match=why):
            friends.ask(ann.pk, name, NOW)


def test_a_declined_request_looks_unanswered_and_is_not_heard_again(ann: User, ben: User) -> None:
    do(friends.ask, ann, ben)
    declined = do(friends.decline, ben, ann)
    assert [topic for topic, _ in declined.frames] == [f"user.{ben.pk}"], "the asker is not told"
    assert (sees(ann, ben), sees(ben, ann)) == ((False, True, False), (False, False, False))
    assert refusal(friends.ask, ann, ben) == "You have already asked ben."
    do(friends.withdraw, ann, ben)
    again = do(friends.ask, ann, ben)
    assert (again.value, again.frames) == ("You have asked ben.", ())
    assert sees(ben, ann) == (False, False, False)
    do(friends.withdraw, ann, ben)
    month_later = do(friends.ask, ann, ben, NOW + friends.DEAF)
    assert frame_to(month_later, ben).count == 1


def test_a_withdrawn_request_is_gone(ann: User, ben: User) -> None:
    do(friends.ask, ann, ben)
    assert frame_to(do(friends.withdraw, ann, ben), ben).count == 0
    assert refusal(friends.accept, ben, ann) == "There is no request from ann any more."
    assert not Friendship.objects.exists()


@pytest.mark.parametrize("were_friends", [True, False])
def test_a_blocked_player_cannot_tell_it_from_silence(
    ann: User, ben: User, cleo: User, were_friends: bool
) -> None:
    """What ann, whom ben has blocked, learns is what she learns of cleo, who just does not answer."""
    for other in (ben, cleo):
        if were_friends:
            befriend(ann, other)
            do(friends.end, other, ann)
    do(friends.block, ben, ann)
    answers = [do(friends.ask, ann, other) for other in (ben, cleo)]
    assert [one.value for one in answers] == ["You have asked ben.", "You have asked cleo."]
    assert answers[0].frames == (), "nothing reaches ben"
    assert sees(ann, ben) == sees(ann, cleo) == (False, True, False)
    assert refusal(friends.ask, ann, ben) == "You have already asked ben."
    assert sees(ben, ann) == (False, False, False)
    assert [do(friends.withdraw, ann, other).value for other in (ben, cleo)] == [
        "You have withdrawn your request to ben.",
        "You have withdrawn your request to cleo.",
    ]
    do(friends.ask, ann, ben, NOW + 2 * friends.DEAF)
    assert not Notice.objects.filter(user=ben).exists(), "also after a month"


def test_a_block_ends_what_there_was(ann: User, ben: User) -> None:
    befriend(ann, ben)
    do(friends.block, ann, ben)
    assert not Friendship.objects.exists()
    assert refusal(friends.ask, ann, ben) == "You have blocked ben. Unblock them first."
    do(friends.unblock, ann, ben)
    do(friends.ask, ben, ann)
    assert sees(ann, ben) == (True, False, False)


def test_guests_have_no_friends_but_may_block(ann: User) -> None:
    guest = User.objects.create_user("QuietHeron27", is_guest=True)
    assert "Save your account first" in refusal(friends.ask, guest, ann)
    assert "plays as a guest" in refusal(friends.ask, ann, guest)
    do(friends.block, guest, ann)
    assert Block.objects.get().blocked == ann


def test_nobody_asks_without_end(ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(friends, "MOST_OPEN_REQUESTS", 2)
    for number in range(2):
        do(friends.ask, ann, new_player(f"other{number}"))
    assert "haven't answered yet" in refusal(friends.ask, ann, new_player("other2"))


def test_the_page_limits_requests(ann: User, client: Client) -> None:
    client.force_login(ann)
    sent = [client.post("/friends/ask/", {"player": "nobody"}).status_code for _ in range(21)]
    assert sent == [302] * 20 + [429]


def test_a_deleted_account_leaves_nothing(ann: User, ben: User, cleo: User) -> None:
    befriend(ann, ben)
    do(friends.block, cleo, ann)
    account_deletion.delete_account(ann.pk, server_clock.now())
    assert not Friendship.objects.exists()
    assert not Block.objects.exists()
    assert not Notice.objects.exists()


def test_a_cleared_history_leaves_friends(ann: User, ben: User) -> None:
    befriend(ann, ben)
    history_reset.reset_history(ann.pk)
    assert are_friends(ann, ben)


# Tables


@pytest.fixture
def at(ann: User) -> TableClient:
    """A private table of ann, where she sits."""
    row = lifecycle.open_table(
        name="Kitchen", rules_key="casino", host_id=ann.pk, is_private=True, has_chat=True
    )
    table = TableClient(row.pk)
    table.sit(ann, 1)
    return table


def invite(user: User, other: User, table: TableClient, now: dt.datetime = NOW) -> Effects[str]:
    return invites_by_name.invite(user.pk, other.username, now, table.table_id)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_an_invite_lets_a_friend_into_a_private_table(
    ann: User, ben: User, at: TableClient, client: Client
) -> None:
    befriend(ann, ben)
    client.force_login(ben)
    assert client.get(f"/tables/{at.table_id}/").status_code == 404
    invited = invite(ann, ben, at)
    assert invited.value == "You have invited ben."
    assert notice_to(invited, ben).table == "Kitchen"
    page = client.get("/friends/").content.decode()
    assert "ann invites you to Kitchen." in page
    url = notice_to(invited, ben).url
    assert f'href="{url}"' in page
    assert client.get(url).headers["Location"] == f"/tables/{at.table_id}/"
    assert client.get(f"/tables/{at.table_id}/").status_code == 200
    assert at.row.seats.filter(user=ben).exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_writer")
def test_an_invite_is_seen_by_who_opens_its_table(
    ann: User, ben: User, at: TableClient, casino: TableClient, client: Client
) -> None:
    befriend(ann, ben)
    url = notice_to(invite(ann, ben, at), ben).url
    client.force_login(ben)
    client.get(f"/tables/{casino.table_id}/")
    assert notices.count_new(ben.pk) == 1
    client.get(url, headers={"Sec-Purpose": "prefetch"})
    client.get(f"/tables/{at.table_id}/", headers={"Sec-Purpose": "prefetch"})
    assert notices.count_new(ben.pk) == 1
    client.get(f"/tables/{at.table_id}/")
    assert notices.count_new(ben.pk) == 0


def test_an_old_invite_is_as_good_as_its_code(
    ann: User, ben: User, at: TableClient, client: Client
) -> None:
    befriend(ann, ben)
    url = notice_to(invite(ann, ben, at), ben).url
    Table.objects.filter(pk=at.table_id).update(code="AAAAAAAA")
    client.force_login(ben)
    assert client.get(url).status_code == 404
    assert client.get(f"/tables/{at.table_id}/").status_code == 404


def test_an_invite_to_a_table_that_closes_is_gone(ann: User, ben: User, at: TableClient) -> None:
    befriend(ann, ben)
    notices.mark_seen(ben.pk, NOW)
    invite(ann, ben, at)
    assert notices.count_new(ben.pk) == 1
    Table.objects.filter(pk=at.table_id).update(closed_at=NOW)
    assert notices.count_new(ben.pk) == 0
    assert all(one.kind != "invited" for one in notices.list_shown(ben.pk, NOW))
    with pytest.raises(NotPossible, match="open table where you sit"):
        invite(ann, ben, at)
    notices.drop_old(NOW)
    assert not Notice.objects.filter(kind="invited").exists()


def test_who_may_invite_whom(ann: User, ben: User, cleo: User, at: TableClient) -> None:
    with pytest.raises(NotPossible, match="friends, and players"):
        invite(ann, ben, at)
    befriend(ann, ben)
    befriend(ben, cleo)
    with pytest.raises(NotPossible, match="open table where you sit"):
        invite(ben, cleo, at)  # as for a table that does not exist
    with pytest.raises(NotPossible, match="open table where you sit"):
        invites_by_name.invite(ben.pk, "cleo", NOW, 424242)


def test_a_second_invite_waits_and_a_blocked_one_does_not_arrive(
    ann: User, ben: User, at: TableClient
) -> None:
    befriend(ann, ben)
    first, second = invite(ann, ben, at), invite(ann, ben, at)
    assert first.value == second.value
    assert (len(first.frames), second.frames, second.calls) == (1, (), ())
    later = invite(ann, ben, at, NOW + invites_by_name.AGAIN)
    assert len(later.frames) == 1


def test_a_recent_player_who_has_blocked_me_gets_no_invite(
    ann: User, ben: User, at: TableClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(invites_by_name, "list_recent_ids", lambda *_args: [ben.pk])
    do(friends.block, ben, ann)
    silent = invite(ann, ben, at)
    assert (silent.value, silent.frames, silent.calls) == ("You have invited ben.", (), ())
    assert notices.count_new(ben.pk) == 0
    assert notices.list_shown(ben.pk, NOW) == []
    (person,) = friend_list.list_invitable(ann, at.row, NOW)
    assert person.is_invited, "as for everybody else"


def test_friends_hear_of_a_public_table_once_in_an_hour(ann: User, ben: User, cleo: User) -> None:
    befriend(ann, ben)
    notices.mark_seen(ben.pk, NOW)

    def opens(minutes: int, **options: bool) -> Effects[None]:
        table = lifecycle.open_table(
            name="Porch", rules_key="casino", host_id=ann.pk, **{"is_private": False, **options}
        )
        return invites_by_name.notify_friends(table, NOW + dt.timedelta(minutes=minutes))

    first = opens(0)
    assert [topic for topic, _ in first.frames] == [f"user.{ben.pk}"], "cleo is no friend"
    assert len(first.calls) == 1
    assert opens(30) == Effects(None)
    assert opens(61, is_private=True) == Effects(None), "private ones are for invited players"
    assert len(opens(62).frames) == 1
    assert notices.count_new(ben.pk) == 1


def test_where_friends_are(ann: User, ben: User, cleo: User, at: TableClient) -> None:
    public = new_table("casino")
    public.sit(cleo, 1)
    ids = [ann.pk, cleo.pk]

    def where() -> list[tuple[bool, str | None, bool]]:
        whereabouts = friend_list.find_whereabouts(ids, ben.pk, {}, NOW)
        return [
            (one.is_here, one.table and one.table.name, one.is_seated)
            for one in map(whereabouts.__getitem__, ids)
        ]

    assert where() == [(False, None, False)] * 2, "without a page nobody is here"
    here(ann, cleo)
    assert where() == [(True, None, True), (True, public.row.name, True)], (
        "a private one is not named"
    )
    codes = {str(at.table_id): at.row.code}
    assert friend_list.find_whereabouts(ids, ben.pk, codes, NOW)[ann.pk].table == at.row
    ServerProcess.objects.update(seen_at=NOW - dt.timedelta(minutes=2))
    assert where() == [(False, None, False)] * 2, "pages of a dead process do not count"


def test_the_page_names_no_private_table(
    ann: User, ben: User, at: TableClient, client: Client
) -> None:
    befriend(ann, ben)
    here(ann)
    client.force_login(ben)
    page = client.get("/friends/").content.decode()
    assert "playing" in page
    assert "Kitchen" not in page
    assert f"/tables/{at.table_id}/" not in page


def test_rounds_together(ann: User, ben: User, cleo: User, stack: Callable[..., None]) -> None:
    table = new_table("casino")
    table.sit(ann, 1)
    table.sit(ben, 2)
    stack("Ts 9s 9h 9h Kd 8d")  # ann 19, ben 19 … against the dealer
    for user in (ann, ben):
        table.bet(user, 1000)
    while (decision := table.view.asked) is not None:
        table.act({1: ann, 2: ben}[decision.seat], "stand")
    chips = lifecycle.open_table(name="Chips", rules_key="casino", stack_size=100_000)
    sit_down(TableClient(chips.pk), ann, ben)
    play_round(TableClient(chips.pk), [ann, ben], Random(1))
    (mine,) = friend_list.compare(ann, [ben.pk, cleo.pk]).items()
    friend_id, compared = mine
    assert (friend_id, compared.rounds) == (ben.pk, 1)
    theirs = friend_list.compare(ben, [ann.pk])[ann.pk]
    assert (theirs.own_net, theirs.own_wins) == (compared.net, compared.wins)
    assert (theirs.net, theirs.wins) == (compared.own_net, compared.own_wins)
    assert compared.own_net == ann.results.get(table=table.table_id).payout - 1000
    assert invites_by_name.list_recent_ids(ann, timezone.now()) == [ben.pk]
    page = friend_list.build_page(ann, {}, timezone.now())
    assert [one.user for one in page.recent] == [ben]
    history_reset.reset_history(ann.pk)
    ann.refresh_from_db()
    assert friend_list.compare(ann, [ben.pk]) == {}, "the own history is cleared"
    assert friend_list.compare(ben, [ann.pk]) != {}


def test_the_bell_and_the_page(ann: User, ben: User, client: Client) -> None:
    do(friends.ask, ann, ben)
    client.force_login(ben)
    assert '<span id="bell-count">1</span>' in client.get("/").content.decode()
    page = client.get("/friends/").content.decode()
    assert "Would like to be friends" in page
    assert '<span id="bell-count">0</span>' in client.get("/").content.decode()
    answer = client.post("/friends/accept/", {"player": "ann"}, follow=True)
    assert "You and ann are friends now." in answer.content.decode()


def test_a_script_gets_the_sentence(ann: User, ben: User, client: Client) -> None:
    client.force_login(ann)
    for says, is_done in (("You have asked ben.", True), ("You have already asked ben.", False)):
        answer = client.post(
            "/friends/ask/", {"player": "ben"}, headers={"X-Requested-With": "fetch"}
        )
        assert answer.json() == {"isDone": is_done, "says": says}


def test_the_people_of_a_table_for_its_page(ann: User, ben: User, client: Client) -> None:
    table = new_table("casino")
    table.sit(ann, 1)
    table.sit(ben, 2)
    do(friends.ask, ben, ann)
    client.force_login(ann)
    data = client.get(f"/tables/{table.table_id}/people/").json()
    assert [(one["name"], one["relation"]) for one in data["people"]] == [
        ("ann", "self"),
        ("ben", "asks"),
    ]


def test_a_prefetched_page_marks_nothing_as_seen(ann: User, ben: User, client: Client) -> None:
    do(friends.ask, ann, ben)
    client.force_login(ben)
    client.get("/friends/", headers={"Sec-Purpose": "prefetch"})
    assert notices.count_new(ben.pk) == 1


def test_the_page_of_a_round_offers_its_other_players(
    ann: User, ben: User, client: Client, stack: Callable[..., None]
) -> None:
    table = new_table("casino")
    table.sit(ann, 1)
    table.sit(ben, 2)
    stack("Ts 9s 9h 9h Kd 8d")
    for user in (ann, ben):
        table.bet(user, 1000)
    while (decision := table.view.asked) is not None:
        table.act({1: ann, 2: ben}[decision.seat], "stand")
    client.force_login(ann)
    url = f"/rounds/{ann.results.get().round_id}/"
    assert "Play with them again?" in client.get(url).content.decode()
    befriend(ann, ben)
    assert "Play with them again?" not in client.get(url).content.decode()
