"""The colours that players choose for their names."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy

COLOURS: Final = {
    "amber": gettext_lazy("Amber"),
    "coral": gettext_lazy("Coral"),
    "rose": gettext_lazy("Rose"),
    "violet": gettext_lazy("Violet"),
    "blue": gettext_lazy("Blue"),
    "teal": gettext_lazy("Teal"),
    "lime": gettext_lazy("Lime"),
    "sand": gettext_lazy("Sand"),
}
"""Their labels by name. ``static/css/colours.css`` has the values."""

_NAMES: Final = tuple(COLOURS)


def choose_default(user_id: int) -> str:
    """The default colour of a user, computed from the id."""
    return _NAMES[user_id % len(_NAMES)]
