"""Admin page of users, for superusers: permissions, and a new password.

All other changes of a player are on the operators' pages. Password hashes are never shown.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import audit_log
from accounts.admin import roles as admin_roles
from accounts.admin.read_only import ReadOnlyAdmin
from accounts.audit_log import Operator
from accounts.http import get_user
from accounts.lib.ids import parse_id
from accounts.models import Act, User
from accounts.users import deletion, search

ROLES = ("is_staff", "is_superuser", "groups")


class RolesField(forms.ModelMultipleChoiceField):
    """A choice of roles; a number that is too large for an id is invalid, without a query."""

    def clean(self, value: Any) -> Any:
        for pk in value or ():
            if parse_id(str(pk)) is None:
                told = self.error_messages["invalid_choice"] % {"value": pk}
                raise ValidationError(told, code="invalid_choice")
        return super().clean(value)


class RolesForm(forms.ModelForm):
    """The roles of a user. ``by`` is the acting superuser."""

    by: User

    class Meta:
        model = User
        fields = ROLES
        widgets = {"groups": forms.CheckboxSelectMultiple}
        field_classes = {"groups": RolesField}
        labels = {
            "is_staff": _("Operator"),
            "is_superuser": _("Superuser"),
            "groups": _("Roles"),
        }
        help_texts = {
            "is_staff": _("Can open the operators' pages and do what the roles below allow."),
            "is_superuser": _("Can do everything without a role, and assigns roles to others."),
            "groups": "",
            "username": "",
        }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        roles: Any = self.fields.get("groups")
        if roles is not None:  # missing without the permission to change
            roles.label_from_instance = lambda role: admin_roles.role_label(role.name)

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        is_own = self.instance.pk == self.by.pk
        if is_own and not (data.get("is_staff") and data.get("is_superuser")):
            raise ValidationError(
                gettext("You can't remove your own superuser status. Ask another superuser.")
            )
        if (data.get("groups") or data.get("is_superuser")) and not data.get("is_staff"):
            said = gettext("A role needs “Operator” ticked. Tick it, or choose no role.")
            raise ValidationError(said)
        return data


class PasswordForm(AdminPasswordChangeForm):
    """Sets a password. It cannot be disabled: freeze the account instead."""

    def __init__(self, user: User, *args: Any, **options: Any) -> None:
        super().__init__(user, *args, **options)
        self.fields.pop("usable_password", None)
        for name in ("password1", "password2"):
            self.fields[name].required = True

    def save(self, commit: bool = True) -> User:
        """Write only the password: other fields may have changed, or the account may be deleted."""
        user: User = super().save(commit=False)
        is_there = Q(is_active=True) | Q(frozen_at__isnull=False)
        User.objects.filter(is_there, pk=user.pk).update(password=user.password)
        return user


class PlayerAdmin(ReadOnlyAdmin, UserAdmin):
    """The page of a user, without adding, deleting, or edits of names, money and freezes."""

    has_trail = True
    list_display = ("id", "username", "is_guest", "email", "is_staff", "state", "date_joined")
    list_display_links = ("id", "username")
    list_filter = ("is_guest", "is_staff")
    ordering = ("-pk",)
    dated_by = "date_joined"
    filter_horizontal = ()
    form = RolesForm
    change_form_template = "admin/operators/roles.html"
    change_password_form = PasswordForm
    change_user_password_template = "admin/operators/set_password.html"  # noqa: S105 - a file
    readonly_fields = (
        "username", "email", "is_guest", "state", "frozen_at", "silenced_at", "silenced_until", "date_joined",
        "last_login", "password_form",
    )  # fmt: skip
    fieldsets = (
        (None, {"fields": ("username", "email", "is_guest", "date_joined", "last_login")}),
        (_("State"), {"fields": ("state", "frozen_at", "silenced_at", "silenced_until")}),
        (_("Operator rights"), {"fields": ROLES}),
        (_("Password"), {"fields": ("password_form",)}),
    )
    search_help_text = _("By number, start of the name, or full e-mail address.")

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Superusers only, whatever the permissions: the page can make superusers."""
        if obj is not None and obj.is_deleted:
            return False
        return get_user(request).is_superuser if request.user.is_authenticated else False

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """The fieldsets; the link to the password only with the permission to change."""
        may_change = self.has_change_permission(request, obj)
        return self.fieldsets if may_change else self.fieldsets[:-1]

    def get_form(
        self, request: HttpRequest, obj: User | None = None, change: bool = False, **options: Any
    ) -> Any:
        form: Any = super().get_form(request, obj, change=change, **options)
        form.by = get_user(request)
        return form

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        is_form = self.has_change_permission(request)
        title = gettext("Roles and password") if is_form else gettext("Roles")
        around = {"title": title, "show_save_and_continue": False, **(extra_context or {})}
        page: HttpResponse = super().change_view(request, object_id, form_url, around)
        return page

    def response_change(self, request: HttpRequest, obj: User) -> HttpResponse:
        """Return to the operators' page of the player."""
        said = gettext("The rights of %(name)s are saved and apply now.")
        messages.success(request, said % {"name": obj.username})
        return redirect("admin:player", obj.pk)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return ReadOnlyAdmin.lookup_allowed(self, lookup, value, request)

    def search_rows(self, rows: QuerySet[User], term: str) -> QuerySet[User]:
        """The same search as on the operators' page."""
        exact = search.find_ids(term)
        if exact:
            return rows.filter(pk__in=exact)
        return rows.filter(pk__in=search.filter_by_name(term).values("pk"))

    @admin.display(description=_("state"))
    def state(self, user: User) -> str:
        """The state: active, frozen or deleted."""
        if user.is_active:
            return gettext("active")
        return gettext("deleted") if user.is_deleted else gettext("frozen")

    @admin.display(description=_("password"))
    def password_form(self, user: User) -> SafeString:
        """The link to set a password. No part of the current one is shown."""
        address = reverse("admin:auth_user_password_change", args=[user.pk])
        return format_html('<a href="{}">{}</a>', address, _("Set a new password"))

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Write only the roles: other fields may have changed, or the account may be deleted."""
        if deletion.lock_user(obj.pk).is_deleted:
            raise PermissionDenied
        obj.save(update_fields=["is_staff", "is_superuser"])

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Save the groups and record the change, in its transaction."""
        super().save_related(request, form, formsets, change)
        if form.changed_data:
            before = {name: _log_value(form.initial.get(name)) for name in form.changed_data}
            after = {name: _log_value(form.cleaned_data.get(name)) for name in form.changed_data}
            self._record(request, form.instance, before, after)

    def user_change_password(
        self, request: HttpRequest, *args: Any, **options: Any
    ) -> HttpResponse:
        """Set a password and record it in the audit log, in one transaction."""
        with transaction.atomic():
            answer: HttpResponse = super().user_change_password(request, *args, **options)
        return answer

    def log_change(self, request: HttpRequest, obj: User, message: Any) -> Any:
        """Record a new password: only its page calls this without the form of roles."""
        page = request.resolver_match
        if page is not None and page.url_name == "auth_user_password_change":
            self._record(request, obj, None, {"password": "reset"})
        return super().log_change(request, obj, message)

    def _record(
        self, request: HttpRequest, user: User, before: dict[str, Any] | None, after: dict[str, Any]
    ) -> None:
        operator, subject = Operator.from_request(request), audit_log.build_subject(user)
        audit_log.record(operator, Act.What.EDIT_USER, subject, before=before, after=after)


def _log_value(value: Any) -> Any:
    """A value for the audit log: roles as names."""
    return value if isinstance(value, bool) else sorted(str(role) for role in value or ())
