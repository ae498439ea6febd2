"""Views of the audit log."""

from __future__ import annotations

import datetime as dt
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log import SITE
from accounts.lib.form_fields import DayInput
from accounts.lib.ids import parse_id
from accounts.models import Act, User
from accounts.users import search
from tables.models import Table
from tables.operators.audit_log.search import AuditLogFilters, AuditLogPage, list_entries
from tables.operators.permissions import operator_page, render_page

LINKS = {
    "user": ("player", "accounts.view_user"),
    "table": ("floor_table", "tables.view_table"),
    "round": ("round", "tables.view_round"),
    "housesettings": ("accounts_housesettings_change", "accounts.view_housesettings"),
    "auditrun": ("audit", "tables.view_books"),
}
"""The page of each kind of subject, and its permission."""
ALL_TOGETHER = {"auditrun"}
"""Kinds of subjects with one common page."""
_MOST_NAMED = 5


class AuditLogForm(forms.Form):
    """The filter of the audit log."""

    use_required_attribute = False

    by = forms.CharField(label=gettext_lazy("Operator"), required=False, max_length=20)
    what = forms.ChoiceField(label=gettext_lazy("Action"), required=False)
    subject = forms.CharField(
        label=gettext_lazy("Subject"), required=False, max_length=40,
        widget=forms.TextInput(attrs={"placeholder": gettext_lazy("a name, or table:7")}),
    )  # fmt: skip
    day = forms.DateField(label=gettext_lazy("Day"), required=False, widget=DayInput)

    def __init__(self, data: Any) -> None:
        super().__init__(data, auto_id="trail-%s", label_suffix="")
        kinds: Any = self.fields["what"]
        kinds.choices = [("", _("everything")), *Act.What.choices]

    def clean_by(self) -> User | None:
        name: str = self.cleaned_data["by"]
        if not name:
            return None
        operator = search.find_by_name(name)
        if operator is None:
            raise forms.ValidationError(_("No player has that name."))
        return operator

    def clean_subject(self) -> str:
        """Convert the subject to the form of the audit log; a plain name is a player or table."""
        words: str = self.cleaned_data["subject"]
        if not words or words.lower() == SITE or ":" in words:
            return words.lower()
        found = _find_subjects(words)
        if not found:
            raise forms.ValidationError(_("No player and no table has that name."))
        if len(found) > 1:
            told = ", ".join(found)
            raise forms.ValidationError(
                _("Several players have that name: %(all)s.") % {"all": told}
            )
        return found[0]

    def clean_day(self) -> dt.date | None:
        day: dt.date | None = self.cleaned_data["day"]
        if day is not None and not dt.date(2000, 1, 1) <= day <= dt.date(9000, 1, 1):
            raise forms.ValidationError(_("Enter a valid date."))
        return day

    @property
    def filters(self) -> AuditLogFilters:
        """The valid filters."""
        read = self.cleaned_data
        by = read.get("by")
        return AuditLogFilters(
            by.pk if by else None, read.get("what", ""), read.get("subject", ""), read.get("day"),
            timezone.get_current_timezone(),
        )  # fmt: skip


@operator_page("accounts.view_act")
def audit_log_list(request: HttpRequest) -> HttpResponse:
    """The actions of all operators, newest first."""
    form = AuditLogForm(request.GET)
    is_read = form.is_valid()
    before = parse_id(request.GET.get("before", ""))
    told = list_entries(form.filters, before=before) if is_read else AuditLogPage((), None)
    asked = {name: request.GET[name] for name in form.fields if request.GET.get(name)}
    context = {
        "form": form,
        "entries": [(entry, _subject_url(request, entry.act.subject)) for entry in told.entries],
        "is_later_page": before is not None,
        "newest_url": f"?{urlencode(asked)}",
        "older_url": _next_page_url(asked, told.older_than),
    }
    return render_page(request, "audit_log/list.html", _("Audit log"), context)


def _find_subjects(name: str) -> list[str]:
    """The subjects of the players and tables with that name."""
    user = search.find_by_name(name)
    tables = Table.objects.filter(name__iexact=name).order_by("-pk").values_list("pk", flat=True)
    return [
        *([f"user:{user.pk}"] if user else []),
        *(f"table:{pk}" for pk in tables[:_MOST_NAMED]),
    ]


def _next_page_url(asked: dict[str, str], older_than: int | None) -> str | None:
    return None if older_than is None else f"?{urlencode({**asked, 'before': older_than})}"


def _subject_url(request: HttpRequest, subject: str) -> str | None:
    """The URL of a subject's page; ``None`` without one, or without the permission."""
    kind, _colon, pk = subject.partition(":")
    name, permission = LINKS.get(kind, ("", ""))
    if not name or parse_id(pk) is None or not request.user.has_perm(permission):
        return None
    try:
        return reverse(f"admin:{name}", args=[] if kind in ALL_TOGETHER else [pk])
    except NoReverseMatch:
        return None
