"""Forms for operators: role, invite, decision."""

from __future__ import annotations

from functools import partial
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts import audit_log
from accounts.admin.roles import SAYS, role_label
from accounts.concurrent_edits import ConcurrentEditMixin, describe_last_change
from accounts.models import User
from accounts.staff import roles
from tables.operators.forms import ReasonField


def _list_choices() -> list[tuple[str, str]]:
    return [(name, role_label(name)) for name in SAYS]


class RoleForm(ConcurrentEditMixin, forms.Form):
    """The roles of a user. A superuser also makes superusers."""

    roles = forms.MultipleChoiceField(
        label=_("Roles"),
        choices=_list_choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("A role lets the user open the operators' pages. Without one, they can't."),
    )
    is_superuser = forms.BooleanField(
        label=_("Superuser"),
        required=False,
        help_text=_("Can do everything without a role, and assigns roles to others."),
    )

    def __init__(self, data: Any, *, user: User, by: User) -> None:
        initial = {"roles": roles.list_roles(user), "is_superuser": user.is_superuser}
        super().__init__(data, initial=initial)
        self.describe_change = partial(describe_last_change, audit_log.build_subject(user))
        if not by.is_superuser:
            del self.fields["is_superuser"]


class InviteForm(forms.Form):
    """The role of an invite."""

    role = forms.ChoiceField(label=_("Role"), choices=_list_choices, widget=forms.RadioSelect)


class ChangeForm(forms.Form):
    """The decision about a waiting change."""

    decision = forms.ChoiceField(label=_("Decision"), widget=forms.RadioSelect)
    reason = ReasonField(required=False, label=_("Reason (optional)"))

    def __init__(self, data: Any, *, is_own: bool, may_approve: bool) -> None:
        super().__init__(data)
        field = self.fields["decision"]
        assert isinstance(field, forms.ChoiceField)
        refuse = _("Withdraw it") if is_own else _("Refuse it")
        approve = [("approve", _("Approve it: it takes effect now"))] if may_approve else []
        field.choices = [*approve, ("refuse", refuse)]
        if not may_approve:
            field.initial = "refuse"
