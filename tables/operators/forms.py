"""Form fields shared by several actions, mostly the reason."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.lib.form_fields import LineField
from accounts.models import Act

MOST_REASON: Final = Act._meta.get_field("reason").max_length


class ReasonField(LineField):
    """The reason of an action. Operators read it in the audit log; a help text names other readers."""

    def __init__(self, **options: Any) -> None:
        defaults: dict[str, Any] = {
            "label": _("Reason"),
            "max_length": MOST_REASON,
            "help_text": _("Goes into the audit log. Only operators see it."),
            "widget": forms.TextInput(attrs={"autocomplete": "off", "size": "60"}),
        }
        super().__init__(**{**defaults, **options})


class ReasonForm(forms.Form):
    """A form with a reason."""

    reason = ReasonField()


class OptionalReasonForm(forms.Form):
    """A form with an optional reason."""

    reason = ReasonField(required=False, label=_("Reason (optional)"))
