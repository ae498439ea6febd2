"""The ``with_focus`` filter: the input of a field, which has the focus if the form is wrong there."""

from __future__ import annotations

from django import template
from django.forms import BoundField
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def with_focus(field: BoundField) -> SafeString:
    """The input. The first wrong one of a form has the focus, so that everybody is led to it."""
    first = next((each.name for each in field.form if each.errors), None)
    return field.as_widget(attrs={"autofocus": True} if field.name == first else {})
