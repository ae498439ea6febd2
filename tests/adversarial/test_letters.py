"""Letters: few for an address and for who asks, and nobody is told who plays here."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.test import Client

from accounts.models import User
from tests.accounts.users.test_sign_up import PASSWORD, sign_up
from tests.helpers.table_client import new_player

pytestmark = pytest.mark.django_db

EMAIL, RESET, ASK = "/accounts/email/", "/accounts/password/reset/", "/accounts/reauthenticate/"
ANNS = "ann@example.com"
TOKEN = re.compile(r'value="[^"]{64}"')


@pytest.fixture(autouse=True)
def _fresh() -> None:
    cache.clear()


def from_(number: int) -> Client:
    return Client(REMOTE_ADDR=f"192.0.2.{number}")


def member(name: str, number: int = 1) -> Client:
    """A player who has just entered the password once more."""
    user = User.objects.filter(username=name).first() or new_player(name)
    client = from_(number)
    client.force_login(user)
    return client


def confirmed(name: str, address: str) -> User:
    user = new_player(name)
    user.email = address
    user.save()
    EmailAddress.objects.create(user=user, email=address, verified=True, primary=True)
    return user


def letters_to(address: str) -> int:
    return len([letter for letter in mail.outbox if letter.to == [address]])


def test_case_53_an_address_gets_five_letters_whoever_asks_and_however() -> None:
    for number in range(4):
        sign_up(from_(number), f"name{number}", email=ANNS)
        client = member(f"other{number}", 50 + number)
        client.post(EMAIL, {"action_add": "", "email": ANNS})
        client.post(EMAIL, {"action_send": "", "email": ANNS})
        from_(100 + number).post(RESET, {"email": ANNS})
    assert letters_to(ANNS) == 5
    assert User.objects.filter(username__startswith="name").count() == 4


@pytest.mark.parametrize("address", ["Ann@Example.com", "ann+tag@example.com"])
def test_case_53_the_same_mailbox_written_otherwise_is_the_same(address: str) -> None:
    for number in range(5):
        from_(number).post(RESET, {"email": ANNS})
    assert from_(9).post(RESET, {"email": address}).status_code == 429


def test_case_53_who_asks_gets_five_letters_sent_wherever_they_go() -> None:
    asker = from_(1)
    statuses = [
        asker.post(RESET, {"email": f"name{number}@example.com"}).status_code for number in range(7)
    ]
    assert statuses == [302] * 5 + [429] * 2
    assert len(mail.outbox) == 5
    sign_up(asker, "ann", email=ANNS)
    assert User.objects.filter(username="ann").exists()
    assert letters_to(ANNS) == 0


def test_case_53_one_player_gets_five_letters_sent_from_wherever() -> None:
    new_player("ann")
    for number in range(7):
        member("ann", number).post(EMAIL, {"action_add": "", "email": f"a{number}@example.com"})
    assert len(mail.outbox) == 5


def test_case_53_letters_that_others_ask_for_keep_no_notice_out() -> None:
    confirmed("ann", ANNS)
    for number in range(6):
        from_(number).post(RESET, {"email": ANNS})
    mail.outbox.clear()
    member("ann", 9).post(EMAIL, {"action_remove": "", "email": ANNS})
    assert letters_to(ANNS) == 1


def test_case_53_one_letter_is_for_all_accounts_that_nobody_confirmed() -> None:
    for number in range(4):
        sign_up(from_(number), f"name{number}", email=ANNS)
    mail.outbox.clear()
    cache.clear()
    from_(9).post(RESET, {"email": ANNS})
    (letter,) = mail.outbox
    assert letter.body.count("/accounts/password/reset/key/") == 4


# Whether an address plays here


def read_answer(client: Client, path: str, form: dict[str, str]) -> tuple[Any, ...]:
    """What somebody sees of an answer, but for the address itself, the own id and the time."""
    address = form["email"]
    answer = client.post(path, form, follow=True)
    page = TOKEN.sub("", answer.content.decode()).replace(address, "")
    page = re.sub(r'data-(viewer|socket|now)="[^"]*"', "", page)
    return answer.redirect_chain, answer.status_code, page


@pytest.mark.parametrize("kind", ["confirmed", "given", "unknown"])
@pytest.mark.parametrize("way", ["sign up", "keep", "add", "change", "reset"])
def test_case_53_nobody_is_told_whether_an_address_plays_here(kind: str, way: str) -> None:
    if kind == "confirmed":
        confirmed("ann", "ann1@example.com")
    elif kind == "given":
        sign_up(from_(1), "ann", email="ann1@example.com")
    mail.outbox.clear()
    answers = []
    for number, address in enumerate(("ann1@example.com", "none@example.com")):
        client, form = from_(10 + number), {"email": address}
        if way in ("sign up", "keep"):
            if way == "keep":
                client.post("/accounts/guest/")
            path = "/accounts/keep/" if way == "keep" else "/accounts/signup/"
            form |= {"username": f"ben{number}", "password1": PASSWORD}
        elif way == "reset":
            path = RESET
        else:
            client, path = member(f"ben{number}", 10 + number), EMAIL
            form |= {"action_add": ""}
        answer = read_answer(client, path, form)
        if way == "change":
            answer += read_answer(client, path, {"action_primary": "", "email": address})
            answer += read_answer(client, path, {"action_send": "", "email": address})
        answers.append(str(answer).replace(f"ben{number}", "ben"))
        assert letters_to(address) == (2 if way == "change" else 1)
    assert answers[0] == answers[1]


def test_case_53_a_confirmed_address_belongs_to_one_account() -> None:
    ben = member("ben")
    ben.post(EMAIL, {"action_add": "", "email": ANNS})
    link = re.search(r"(/accounts/confirm-email/\S+)", mail.outbox[-1].body)
    assert link
    ann = confirmed("ann", ANNS)
    ben.post(link[1])
    assert [row.user for row in EmailAddress.objects.filter(verified=True)] == [ann]
    with pytest.raises(IntegrityError), transaction.atomic():
        EmailAddress.objects.filter(email=ANNS).update(verified=True)
    mail.outbox.clear()
    cache.clear()
    from_(3).post(RESET, {"email": ANNS})
    (letter,) = mail.outbox
    assert letter.body.count("/accounts/password/reset/key/") == 1
    assert "password of ann." in letter.body
    ben.post(EMAIL, {"action_send": "", "email": ANNS})
    assert "already confirmed it for yours" in mail.outbox[-1].body


def test_case_53_an_operator_of_the_command_line_is_reset_by_the_address_given_there() -> None:
    User.objects.create_superuser("olga", "Olga@example.com", PASSWORD)
    from_(1).post(RESET, {"email": "olga@example.com"})
    assert "/accounts/password/reset/key/" in mail.outbox[0].body
