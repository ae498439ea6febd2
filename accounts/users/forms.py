"""Forms of the account page: name, limits, deletion."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

from allauth.account.adapter import get_adapter
from django import forms
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext, gettext_lazy

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.ledger import gaming_days
from accounts.lib import date_forms, names, server_clock, zones
from accounts.lib.form_fields import ColourField, DayInput, MoneyField, NameField
from accounts.models import NAME_COLUMNS, NAME_TAKEN, Act, OwnLimit, User
from accounts.users import former_names
from accounts.users import names as new_names

LEAST_MINUTES: Final = 5
MOST_MINUTES: Final = 600
MOST_LOSS: Final = 1_000_000
"""The largest daily loss limit, in units."""
LONGEST_BREAK: Final = dt.timedelta(days=366)


class ColourForm(forms.Form):
    """Chooses the colour of the user's name."""

    colour = ColourField()

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["colour"] = user.accent
        self.user = user

    def save(self) -> bool:
        """Store the colour; false if that changes nothing."""
        colour = self.cleaned_data["colour"]
        mine = User.objects.filter(pk=self.user.pk, is_active=True).exclude(colour=colour)
        return bool(mine.update(colour=colour))


class NameForm(forms.Form):
    """Changes the name, with the rules of sign-up."""

    username = NameField(
        help_text=gettext_lazy(
            "Up to 20 letters or digits, no spaces. Everyone sees it, and you use it to log in."
        ),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["username"] = user.username
        self.user = user

    def clean_username(self) -> str:
        """Check the name; the user's own name in another case is allowed."""
        return new_names.clean(self.cleaned_data["username"], owner=self.user)

    def save(self, by: Operator | None = None) -> bool:
        """Change the name, recorded if ``by`` is given. False with a form error if it was refused."""
        mine = User.objects.filter(pk=self.user.pk, is_active=True)
        try:
            with transaction.atomic():
                before_it = mine.select_for_update(no_key=True).first()
                if before_it is not None and before_it.username != self.cleaned_data["username"]:
                    former_names.record(before_it, server_clock.now())
                is_changed = mine.update(**self._columns()) == 1
                if is_changed and by is not None:
                    before, after = (
                        {"name": name}
                        for name in (self.initial["username"], self.cleaned_data["username"])
                    )
                    subject = audit_log.build_subject(self.user)
                    audit_log.record(by, Act.What.EDIT_USER, subject, before=before, after=after)
        except IntegrityError:
            self.add_error("username", NAME_TAKEN)
            return False
        if not is_changed:
            self.add_error("username", gettext("This account can't play. It is frozen or deleted."))
        return is_changed

    def _columns(self) -> dict[str, str | None]:
        """The columns to write: an unchanged look is kept, or that the user has none."""
        name = self.cleaned_data["username"]
        if names.folded(name) == self.user.folded and new_names.looks_like(name, self.user):
            return {"username": name}
        renamed = User()
        renamed.rename(name)
        return {column: getattr(renamed, column) for column in NAME_COLUMNS}


class LimitForm(forms.Form):
    """Sets or removes a limit. ``value`` is the new one; ``None`` removes it."""

    kind: OwnLimit.Kind

    @property
    def value(self) -> int | None:
        raise NotImplementedError


class ReminderForm(LimitForm):
    """Sets the minutes between reminders."""

    kind = OwnLimit.Kind.REMINDER
    every = forms.ChoiceField(
        label=gettext_lazy("Remind me"),
        choices=[
            ("", gettext_lazy("Never")),
            ("30", gettext_lazy("After 30 minutes")),
            ("60", gettext_lazy("After 60 minutes")),
            ("120", gettext_lazy("After 120 minutes")),
            ("other", gettext_lazy("Custom time (below)")),
        ],
        required=False,
    )
    minutes = forms.IntegerField(
        label=gettext_lazy("Custom time in minutes"),
        required=False,
        min_value=LEAST_MINUTES,
        max_value=MOST_MINUTES,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )

    @classmethod
    def for_limit(cls, minutes: int | None) -> ReminderForm:
        """The form with the current limit."""
        if minutes is None or minutes in (30, 60, 120):
            return cls(initial={"every": str(minutes or "")})
        return cls(initial={"every": "other", "minutes": minutes})

    def clean(self) -> None:
        data = super().clean() or {}
        is_missing = data.get("minutes") is None and "minutes" not in self.errors
        if data.get("every") == "other" and is_missing:
            self.add_error("minutes", gettext("Enter the number of minutes."))

    @property
    def value(self) -> int | None:
        every = self.cleaned_data["every"]
        minutes: int | None = self.cleaned_data["minutes"]
        return minutes if every == "other" else int(every) if every else None


class LossForm(LimitForm):
    """Sets the daily loss limit."""

    kind = OwnLimit.Kind.DAILY_LOSS
    amount = MoneyField(
        label=gettext_lazy("Maximum loss per day"),
        help_text=gettext_lazy("Leave blank for no limit."),
        required=False,
        least=100,
        most=100 * MOST_LOSS,
    )

    @classmethod
    def for_limit(cls, hundredths: int | None) -> LossForm:
        """The form with the current limit."""
        return cls(initial={"amount": hundredths})

    @property
    def value(self) -> int | None:
        amount: int | None = self.cleaned_data["amount"]
        return amount


class BreakForm(LimitForm):
    """Sets a break until a day."""

    kind = OwnLimit.Kind.BREAK
    until = forms.DateField(
        label=gettext_lazy("Break until"),
        help_text=gettext_lazy("At most one year from now. Leave blank for no break."),
        required=False,
        widget=DayInput(),
    )

    @classmethod
    def for_limit(cls, day: int | None) -> BreakForm:
        """The form with the current limit."""
        return cls(initial={"until": None if day is None else dt.date.fromordinal(day)})

    def clean_until(self) -> dt.date | None:
        until: dt.date | None = self.cleaned_data["until"]
        today = gaming_days.load().day_of(server_clock.now())
        if until is not None and until <= today:
            raise ValidationError(gettext("Choose a day after today."))
        if until is not None and until > today + LONGEST_BREAK:
            raise ValidationError(gettext("Choose a day within a year."))
        return until

    @property
    def value(self) -> int | None:
        until: dt.date | None = self.cleaned_data["until"]
        return None if until is None else until.toordinal()


class TimeForm(forms.Form):
    """The time zone and the form of dates of an account."""

    time_zone = forms.ChoiceField(label=gettext_lazy("Time zone"), required=False)
    date_form = forms.ChoiceField(
        label=gettext_lazy("Dates"),
        required=False,
        choices=[(key, form.example) for key, form in date_forms.FORMS.items()],
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        zone = self.fields["time_zone"]
        assert isinstance(zone, forms.ChoiceField)
        own = [("UTC", "UTC")]
        if user.time_zone and user.time_zone not in dict(own):
            own.append(
                (user.time_zone, user.time_zone)
            )  # also one that the list has under another name
        zone.choices = [("", gettext("as in the browser")), *own, *zones.list_choices()]
        self.initial = {"time_zone": user.time_zone, "date_form": user.date_form}

    def save(self) -> None:
        """Store both choices, unless the account was deleted."""
        User.objects.filter(pk=self.user.pk, is_active=True).update(**self.cleaned_data)


class DeleteForm(forms.Form):
    """Confirms a deletion by name, and password if there is one."""

    name = NameField(label=gettext_lazy("Type your name"), autocomplete="off")
    password = forms.CharField(
        label=gettext_lazy("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        if not user.has_usable_password():
            del self.fields["password"]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if names.folded(name) != self.user.folded:
            raise ValidationError(gettext("That name doesn't match yours. Try again."))
        return name

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not get_adapter().reauthenticate(self.user, password):
            raise ValidationError(gettext("That password is wrong. Try again."))
        return password
