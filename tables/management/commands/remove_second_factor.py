"""``manage.py remove_second_factor NAME``: for somebody who has lost app, passkeys and codes."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import get_adapter
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.lib import server_clock
from accounts.models import Act
from accounts.users import search, sessions
from accounts.users.second_factor import requirement

REASON = "manage.py remove_second_factor, on the command line of the server."


class Command(BaseCommand):
    help = (
        "Remove the second factor of a user who has lost it, and end the user's sessions. The "
        "password alone logs in then; an operator whose role needs a second factor sets up a new one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name of the user")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        user = search.find_by_name(name)
        if user is None:
            raise CommandError(f"No user is called {name}.")
        now = server_clock.now()
        with transaction.atomic():
            if not requirement.remove_all(user.pk):
                raise CommandError(f"{user.username} has no second factor.")
            # Entries name a user, and a command line has none: the account itself, with the reason.
            audit_log.record(
                Operator(user.pk), Act.What.REMOVE_FACTOR, audit_log.build_subject(user),
                reason=REASON, at=now,
            )  # fmt: skip
        sessions.end_sessions(user.pk, now)
        get_adapter().send_notification_mail("mfa/email/removed", user)
        self.stdout.write(f"{user.username} has no second factor any more.")
