"""Views of alerts: the list, the number for the badge, and what managers do about the channels."""

from __future__ import annotations

import uuid
from typing import Any, Final

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.http import get_user
from accounts.lib import server_clock
from accounts.lib.errors import BUSY, CHECK_FIRST
from accounts.mail import queue as mail_queue
from accounts.models import Act, AlertKind, HouseSettings
from accounts.models.alerts import generate_secret, parse_kinds
from accounts.users import reauthentication
from tables.models import AlertDelivery, Backup
from tables.operators.alerts import deliveries, overview
from tables.operators.alerts import messages as alert_messages
from tables.operators.alerts.deliveries import Outcome
from tables.operators.permissions import operator_page, render_page

MANAGES: Final = "accounts.change_housesettings"
Channel = AlertDelivery.Channel


@operator_page(overview.PERMISSION)
def alerts(request: HttpRequest) -> HttpResponse:
    """The open alerts, the last ended ones, and the channels."""
    return _render_alerts(request)


def _render_alerts(request: HttpRequest, *, new_secret: str = "") -> HttpResponse:
    """The page. A secret that was just made is shown this once."""
    user = get_user(request)
    kinds = overview.list_kinds(user)
    context: dict[str, Any] = {
        "open_alerts": overview.list_open(user),
        "ended_alerts": overview.list_ended(user),
        "backup": Backup.load_newest() if AlertKind.BACKUP in kinds else None,
        "shows_backup": AlertKind.BACKUP in kinds,
        "new_secret": new_secret,
    }
    if user.has_perm(MANAGES):
        settings = HouseSettings.objects.get(pk=1)
        context |= {
            "settings": settings,
            "addresses": deliveries.list_addresses(settings),
            "email_kinds": [kind.label for kind in parse_kinds(settings.alert_email_kinds)],
            "webhook_kinds": [kind.label for kind in parse_kinds(settings.alert_webhook_kinds)],
            "is_console": mail_queue.prints_to_console(),
        }
    return render_page(request, "alerts/alerts.html", _("Alerts"), context)


@operator_page(overview.PERMISSION, needs_recent_login=False)
def alert_count(request: HttpRequest) -> JsonResponse:
    """The number of the badge, for the script of every operators' page.

    A tab that is left open has to call, also if the last confirmation of the login was long ago.
    """
    return JsonResponse({"count": overview.count_waiting(get_user(request))})


@operator_page(overview.PERMISSION, "POST")
def see_alert(request: HttpRequest, alert_id: int) -> HttpResponse:
    """Mark an alert as seen, so that it is not counted any more."""
    operator, now = Operator.from_request(request), server_clock.now()
    alert = get_object_or_404(overview.filter_for(get_user(request)), pk=alert_id)
    try:
        with transaction.atomic():
            is_new = overview.mark_seen(alert, operator.user_id, now)
            if is_new:
                # Not its text, which may have a name: entries are permanent.
                subject = audit_log.build_subject(alert)
                after = {"alert": alert.kind, "of": alert.subject}
                audit_log.record(operator, Act.What.ALERT_SEEN, subject, after=after, at=now)
    except BUSY:
        messages.error(request, CHECK_FIRST)
    else:
        if not is_new:
            messages.warning(request, _("It is already over, or marked as seen."))
    return redirect("admin:alerts")


@operator_page(MANAGES, "POST")
@reauthentication.require_recent_factor
def send_test_email(request: HttpRequest) -> HttpResponse:
    """Send a test e-mail, wait for the mail server, and show its answer."""
    addresses = deliveries.list_addresses(HouseSettings.objects.get(pk=1))
    outcome = deliveries.send_email(alert_messages.build_test_email(addresses))
    return _show_outcome(request, Channel.EMAIL, outcome)


@operator_page(MANAGES, "POST")
@reauthentication.require_recent_factor
def send_test_webhook(request: HttpRequest) -> HttpResponse:
    """Send a test message to the webhook, and show its answer."""
    uid, settings = uuid.uuid4(), HouseSettings.objects.get(pk=1)
    body = alert_messages.build_test_webhook(uid, server_clock.now())
    return _show_outcome(request, Channel.WEBHOOK, deliveries.send_webhook(settings, uid, body))


def _show_outcome(request: HttpRequest, channel: Channel, outcome: Outcome) -> HttpResponse:
    """Record a test, and show its result on the page of alerts."""
    operator, after = Operator.from_request(request), {"channel": channel, "answer": outcome.answer}
    try:
        audit_log.record(operator, Act.What.ALERT_TEST, audit_log.SITE, after=after)
    except BUSY:
        messages.error(request, CHECK_FIRST)
    if outcome.is_sent:
        level, message = messages.SUCCESS, _("Test by %(channel)s: sent. %(answer)s")
    else:
        level, message = messages.ERROR, _("Test by %(channel)s: not sent. %(answer)s")
    messages.add_message(
        request, level, message % {"channel": channel.label, "answer": outcome.answer}
    )
    return redirect("admin:alerts")


@operator_page(MANAGES, "POST")
@reauthentication.require_recent_factor
def renew_secret(request: HttpRequest) -> HttpResponse:
    """Replace the key that signs webhooks, and show it, this once. The audit log does not contain it."""
    now, secret = server_clock.now(), generate_secret()
    try:
        with transaction.atomic():
            HouseSettings.objects.filter(pk=1).update(alert_webhook_secret=secret)
            operator = Operator.from_request(request)
            audit_log.record(operator, Act.What.ALERT_SECRET, audit_log.SITE, at=now)
    except BUSY:
        messages.error(request, CHECK_FIRST)
        return redirect("admin:alerts")
    messages.success(request, _("The secret is a new one. Copy it to the receiver."))
    return _render_alerts(request, new_secret=secret)
