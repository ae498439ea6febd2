"""Admin pages of users: what is stored, and for superusers a new password.

All other changes of a player, also of the role, are on the operators' pages. Password hashes are never
shown.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import audit_log
from accounts.admin.read_only import ReadOnlyAdmin
from accounts.audit_log import Operator
from accounts.http import get_user
from accounts.models import Act, User
from accounts.staff import roles as staff_roles
from accounts.users import reauthentication, search

PASSWORD_PAGE = "auth_user_password_change"  # noqa: S105 - the name of a page


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
    change_form_template = "admin/operators/roles.html"
    change_password_form = PasswordForm
    change_user_password_template = "admin/operators/set_password.html"  # noqa: S105 - a file
    readonly_fields = (
        "username", "email", "is_guest", "state", "frozen_at", "silenced_at", "silenced_until",
        "date_joined",
        "last_login", "superuser", "roles", "role_since",
    )  # fmt: skip
    fieldsets = (
        (None, {"fields": ("username", "email", "is_guest", "date_joined", "last_login")}),
        (_("State"), {"fields": ("state", "frozen_at", "silenced_at", "silenced_until")}),
        (_("Operator rights"), {"fields": ("superuser", "roles", "role_since")}),
    )
    search_help_text = _("By number, start of the name, or full e-mail address.")

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Superusers only, whatever the permissions, and only for the password."""
        page = request.resolver_match
        if page is None or page.url_name != PASSWORD_PAGE or (obj is not None and obj.is_deleted):
            return False
        return get_user(request).is_superuser if request.user.is_authenticated else False

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        around = {"title": gettext("Role"), **(extra_context or {})}
        page: HttpResponse = super().change_view(request, object_id, form_url, around)
        return page

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

    @admin.display(description=_("Superuser"), boolean=True)
    def superuser(self, user: User) -> bool:
        """Whether the user may do everything."""
        return user.is_superuser

    @admin.display(description=_("roles"))
    def roles(self, user: User) -> str:
        """The names of the roles."""
        return ", ".join(staff_roles.list_roles(user))

    def user_change_password(
        self, request: HttpRequest, *args: Any, **options: Any
    ) -> HttpResponse:
        """Set a password and record it in the audit log, in one transaction."""
        guarded = reauthentication.require_recent_factor(super().user_change_password)
        with transaction.atomic():
            return guarded(request, *args, **options)

    def log_change(self, request: HttpRequest, obj: User, message: Any) -> Any:
        """Record a new password: nothing else is changed in the admin."""
        operator, subject = Operator.from_request(request), audit_log.build_subject(obj)
        after = {"password": "reset", "sessions": "ended"}
        audit_log.record(operator, Act.What.EDIT_USER, subject, after=after)
        return super().log_change(request, obj, message)
