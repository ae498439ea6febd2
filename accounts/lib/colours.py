"""The colours that players choose for their names."""

from __future__ import annotations

from typing import Final

from django.utils.translation import pgettext_lazy

COLOURS: Final = {
    "amber": pgettext_lazy("colour", "Amber"),
    "coral": pgettext_lazy("colour", "Coral"),
    "rose": pgettext_lazy("colour", "Rose"),
    "violet": pgettext_lazy("colour", "Violet"),
    "blue": pgettext_lazy("colour", "Blue"),
    "teal": pgettext_lazy("colour", "Teal"),
    "lime": pgettext_lazy("colour", "Lime"),
    "sand": pgettext_lazy("colour", "Sand"),
}
"""Their labels by name. ``static/css/colours.css`` has the values."""

_NAMES: Final = tuple(COLOURS)


def choose_default(user_id: int) -> str:
    """The colour of a user who has chosen none; always the same one."""
    return _NAMES[user_id % len(_NAMES)]
