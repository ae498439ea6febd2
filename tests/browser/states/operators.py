"""The pages of the operators, while somebody plays, and with something on each."""

from __future__ import annotations

from playwright.async_api import expect

from tests.browser.players import Evening, Person
from tests.browser.states.tables import See, bet, decide, friends
from tests.helpers.app_codes import SECRET

FOR_OPERATORS = {
    "first page": "",
    "alerts": "alerts/",
    "floor": "floor/",
    "table": "floor/tables/{table}/",
    "pausing a table": "floor/tables/{table}/pause/",
    "announcing": "floor/announce/",
    "maintenance": "floor/maintenance/",
    "tables": "tables/list/?state=all",
    "changing a table": "tables/{table}/edit/",
    "racks": "racks/",
    "filling a rack": "tables/{table}/fill/",
    "bringing chips back": "tables/{table}/fill/back/",
    "players": "players/",
    "player": "players/{player}/",
    "statement of a player": "players/{player}/statement/",
    "rounds of a player": "players/{player}/rounds/",
    "adjusting a wallet": "players/{player}/adjust/",
    "freezing a player": "players/{player}/freeze/",
    "role": "players/{player}/role/",
    "ending sessions": "players/{player}/sessions/end/",
    "stored user": "accounts/user/{player}/change/",
    "another password": "accounts/user/{player}/password/",
    "rounds": "rounds/",
    "rounds of nobody": "rounds/?player=nobody",
    "round": "rounds/{round}/",
    "voiding a round": "rounds/{round}/void/",
    "reports": "reports/",
    "answering": "reports/{report}/answer/",
    "books": "books/",
    "accounts": "books/accounts/",
    "audit": "books/audit/",
    "staff": "staff/",
    "inviting an operator": "staff/invite/",
    "deciding on a change": "staff/changes/{change}/",
    "trail": "trail/",
    "settings": "accounts/housesettings/1/change/",
    "what is kept": "accounts/transfer/",
    "one that is kept": "accounts/transfer/1/change/",
}
"""By what is there to be seen, the address below the first page."""

REFUSED = {"nothing there": "rounds/999999/"}

PREPARE = """
from django.utils import timezone
from accounts import audit_log
from accounts.models import Act, HouseSettings, User, WaitingChange
from accounts.staff import invites, roles, waiting_changes
from accounts.audit_log import Operator
from tables.models import AuditRun, Report, Round, Seat, Table
from tables.operators.alerts import check

User.objects.filter(username="olga").update(is_staff=True, is_superuser=True)
user = User.objects.get(username="olga")
from tests.helpers.second_factor import give_app; give_app(user)
olga, ann, now = Operator(User.objects.get(username="olga").pk), User.objects.get(username="ann"), timezone.now()
round_ = Round.objects.filter(finished_at__isnull=False).earliest("pk")
report = Report.objects.create(round=round_, user=ann, at=now, text="The dealer had two more cards.")
audit_log.record(olga, Act.What.NOTE, audit_log.build_subject(ann), reason="Asked for the rules.")
audit_log.record(
    olga, Act.What.EDIT_TABLE, audit_log.build_subject(round_.table),
    before={"minimum": 1000}, after={"minimum": 2000}, reason="A busy evening.",
)
AuditRun.objects.create(started_at=now, seen_at=now, finished_at=now, faults=["One.", "Two."])
mia = User.objects.create_user("mia", password="blackjack-21!")
roles.store(mia, {"manager"}, now)
invites.create(olga, "floor", now)
waiting_changes.change_limits(Operator(mia.pk), {"void_limit": 500_000}, now)
change = WaitingChange.objects.get()
HouseSettings.objects.update(
    alert_emails="ops@example.com", alert_email_kinds="",
    alert_webhook="https://hooks.example/alerts/of/a/card/room", alert_webhook_kinds="",
)
check.check(now)
print(round_.pk, round_.table_id, ann.pk, report.pk, change.pk)
"""  # noqa: E501 - a program


async def for_operators(evening: Evening, see: See) -> None:
    """All of it for somebody who may all of it."""
    evening.server.stack("Ts 9s 9c 7c Td Th", "8s 5h Th 6c 8d 6h")
    ann, ben = await friends(evening, "Casino table", 2)
    await bet(ann, ben)
    await decide(ann, "stand")
    await decide(ben, "stand")
    await expect(ann.bet_button).to_be_visible()
    await bet(ann, ben)
    await expect(ann.page.locator("button[data-action='stand']")).to_be_visible()
    olga = await evening.player("olga")
    prepared = evening.server.manage("shell", "--verbosity", "0", "-c", PREPARE)
    assert prepared.returncode == 0, prepared.stderr
    await olga.enter_password(secret=SECRET)
    named = ("round", "table", "player", "report", "change")
    ids = dict(zip(named, prepared.stdout.split(), strict=True))
    for name, path in FOR_OPERATORS.items():
        await _look(olga, path.format(**ids))
        await see(name, olga)
    for name, path in REFUSED.items():
        await _look(olga, path)
        await see(name, olga)
    # That the browser says so itself is no complaint of our scripts.
    olga.complaints = [complaint for complaint in olga.complaints if "404" not in complaint]


async def _look(person: Person, path: str) -> None:
    await person.page.goto(f"{person.url}/admin/{path}")
    await expect(person.page.locator("#content")).to_be_visible()
