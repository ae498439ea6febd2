"""Names of permissions, and the roles that have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.contrib.auth.models import Group
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

WORDS: Final[Mapping[str, str | Promise]] = {
    "accounts.adjust_wallet": _("adjust wallets"),
    "accounts.announce": _("make announcements"),
    "accounts.approve_change": _("approve changes of others"),
    "accounts.end_session": _("end sessions"),
    "accounts.change_housesettings": _("change the settings of the site"),
    "accounts.approve_user": _("approve new accounts"),
    "accounts.ban_network": _("ban networks"),
    "accounts.freeze_user": _("freeze players"),
    "accounts.invite_user": _("create sign-up invites"),
    "accounts.maintain": _("schedule maintenance"),
    "accounts.manage_staff": _("see operators, invite them and give roles"),
    "accounts.note_user": _("write notes about players"),
    "accounts.silence_user": _("mute players at all tables"),
    "accounts.view_act": _("see the audit log"),
    "accounts.view_transfer": _("see the statements of players"),
    "accounts.view_user": _("see players"),
    "tables.add_table": _("open tables"),
    "tables.answer_report": _("answer reports"),
    "tables.approve_void": _("approve or refuse voids"),
    "tables.change_table": _("change tables"),
    "tables.fill_rack": _("refill racks"),
    "tables.run_audit": _("run the audit"),
    "tables.run_table": _("pause and close tables"),
    "tables.view_alert": _("see alerts"),
    "tables.view_books": _("see accounting"),
    "tables.view_hand": _("see the hands of players"),
    "tables.view_report": _("see reports"),
    "tables.view_round": _("see rounds"),
    "tables.view_table": _("see live tables"),
    "tables.void_round": _("void rounds"),
}
"""The label of each permission."""


def list_roles_with(permission: str) -> list[str]:
    """The names of the roles that have this permission, in their order."""
    app, _dot, codename = permission.partition(".")
    having = Group.objects.filter(
        permissions__codename=codename, permissions__content_type__app_label=app
    )
    return list(having.order_by("name").values_list("name", flat=True))
