"""Views of the audit log."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponseBase
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log import SITE
from accounts.lib import names
from accounts.lib.ids import parse_id
from accounts.lists import export
from accounts.lists.export import ListFile
from accounts.lists.forms import ListForm
from accounts.lists.players import FoundPlayer, find_player
from accounts.models import Act, User
from tables.models import Table
from tables.operators.audit_log.search import AuditLogFilters, AuditLogPage, list_entries
from tables.operators.lists import list_context
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


class AuditLogForm(ListForm):
    """The filter of the audit log. Tables and players are its subjects."""

    has_table = has_player = False

    by = forms.CharField(
        label=gettext_lazy("Operator"), required=False, max_length=names.MOST_CODE_POINTS
    )
    what = forms.ChoiceField(label=gettext_lazy("Action"), required=False)
    subject = forms.CharField(
        label=gettext_lazy("Subject"), required=False, max_length=names.MOST_CODE_POINTS,
        widget=forms.TextInput(attrs={"placeholder": gettext_lazy("a name, or table:7")}),
    )  # fmt: skip

    def __init__(self, data: Any) -> None:
        super().__init__(data, auto_id="trail-%s")
        kinds: Any = self.fields["what"]
        kinds.choices = [("", _("everything")), *Act.What.choices]
        self.notes: list[str] = []

    def clean_by(self) -> User | None:
        name: str = self.cleaned_data["by"]
        if not name:
            return None
        operator = find_player(name)
        if operator is None:
            raise forms.ValidationError(_("No player has or had that name."))
        self.notes.append(operator.note)
        return operator.user

    def clean_subject(self) -> str:
        """Convert the subject to the form of the audit log; a plain name is a player or table."""
        words: str = self.cleaned_data["subject"]
        if not words or words.lower() == SITE or ":" in words:
            return words.lower()
        player = find_player(words)
        subjects = _find_subjects(words, player)
        if not subjects:
            raise forms.ValidationError(_("No player and no table has that name."))
        if len(subjects) > 1:
            text = ", ".join(subjects)
            raise forms.ValidationError(
                _("Several players have that name: %(all)s.") % {"all": text}
            )
        if player is not None:
            self.notes.append(player.note)
        return subjects[0]

    @property
    def logged(self) -> dict[str, str]:
        subject: str = self.cleaned_data.get("subject", "")
        return {**super().logged, **({"subject": subject} if subject else {})}

    @property
    def note(self) -> str:
        return " ".join(note for note in self.notes if note)

    @property
    def filters(self) -> AuditLogFilters:
        """The filter of a valid form."""
        data = self.cleaned_data
        by = data.get("by")
        return AuditLogFilters(
            by.pk if by else None, data.get("what", ""), data.get("subject", ""), self.times
        )


@operator_page("accounts.view_act")
def audit_log_list(request: HttpRequest) -> HttpResponseBase:
    """The actions of all operators, newest first; none if a filter is invalid."""
    form = AuditLogForm(request.GET)
    is_valid = form.is_valid()
    if is_valid and export.is_wanted(request):
        return export.download(request, _file(form.filters), form.query, logged=form.logged)
    before = form.cleaned_data["before"] if is_valid else None
    page = list_entries(form.filters, before=before) if is_valid else AuditLogPage((), None)
    context = {
        **list_context(form),
        "entries": [(entry, _subject_url(request, entry.act.subject)) for entry in page.entries],
        "is_later_page": before is not None,
        "newest_url": f"?{urlencode(form.query)}",
        "older_url": _next_page_url(form.query, page.older_than),
    }
    return render_page(request, "audit_log/list.html", _("Audit log"), context)


def _file(filters: AuditLogFilters) -> ListFile:
    columns = (
        "entry", "time", "operator", "action", "subject", "subject_name", "changes", "reason",
        "address",
    )  # fmt: skip

    def read(before: int | None) -> tuple[list[list[object]], int | None]:
        page = list_entries(filters, before=before, size=export.AT_ONCE)
        rows: list[list[object]] = [
            [
                one.act.pk, one.act.at, one.act.by.username, one.act.get_what_display(),
                one.act.subject, one.name,
                "; ".join(f"{each.name}: {each.before} → {each.after}" for each in one.changed),
                one.act.reason, one.act.address,
            ]
            for one in page.entries
        ]  # fmt: skip
        return rows, page.older_than

    return ListFile("audit-log", columns, export.read_pages(read))


def _find_subjects(name: str, player: FoundPlayer | None) -> list[str]:
    """The subjects of the player that was found and the tables with that name."""
    tables = Table.objects.filter(name__iexact=name).order_by("-pk").values_list("pk", flat=True)
    return [
        *([f"user:{player.user.pk}"] if player else []),
        *(f"table:{pk}" for pk in tables[:_MOST_NAMED]),
    ]


def _next_page_url(query: dict[str, str], older_than: int | None) -> str | None:
    return None if older_than is None else f"?{urlencode({**query, 'before': older_than})}"


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
