"""Names of players against those that are taken or reserved."""

from __future__ import annotations

import itertools
import unicodedata
from typing import Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy

from accounts import site_settings
from accounts.lib import names
from accounts.models import NAME_TAKEN, NAME_TOO_CLOSE, User
from accounts.users import blocked_words, former_names

NAME_RESERVED: Final = gettext_lazy("That name is reserved. Choose another one.")
NAME_BLOCKED: Final = gettext_lazy(
    "That name has a word that is not allowed here. Choose another one."
)
RESERVED: Final = frozenset(
    map(
        names.skeleton,
        (
            "admin", "administrator", "bank", "banker", "CardRoom", "croupier", "dealer", "host",
            "house", "moderator", "operator", "root", "server", "staff", "support", "system",
        ),
    )
)  # fmt: skip
"""The looks of names that only the command line and the first operator give: they would speak for
the site, as its own name does. Signs, accents, *The* before them, and digits before or after them
do not make another name of them.
"""
OF_OPERATORS: Final = frozenset(
    map(
        names.skeleton,
        (
            "admin", "administrator", "croupier", "dealer", "moderator", "operator", "staff",
            "support",
        ),
    )
)  # fmt: skip
"""Those that also speak for the site in the plural, and beside another word: *Admin_Anna*."""
_THE: Final = names.skeleton("the")


def clean(name: str, *, owner: User | None = None, may_be_reserved: bool = False) -> str:
    """Check a new name of ``owner``, or of a new user; returns it as it is stored.

    Raises ``ValidationError``. Another user may take the name before it is stored: then the
    database refuses it.
    """
    name = names.normalized(name)
    names.validate(name)
    if owner is not None and name == owner.username:
        return name
    is_own = owner is not None and names.folded(name) == owner.folded
    # Present names first: a name that becomes free meanwhile is a former one before the second look.
    if not is_own and (
        User.objects.filter(folded=names.folded(name)).exists()
        or former_names.is_name_held(name, owner)
    ):
        raise ValidationError(NAME_TAKEN, code="username_taken")
    if not may_be_reserved and _is_reserved(name):
        raise ValidationError(NAME_RESERVED, code="reserved")
    if blocked_words.has_blocked_word(name):
        raise ValidationError(NAME_BLOCKED, code="blocked")
    if owner is not None and is_own and looks_like(name, owner):
        return name  # Older users may have no skeleton; they keep their names.
    alike = User.objects.filter(skeleton=names.skeleton(name))
    if owner is not None:
        alike = alike.exclude(pk=owner.pk)
    if alike.exists() or former_names.is_look_held(name, owner):
        raise ValidationError(NAME_TOO_CLOSE, code="too_close")
    return name


def looks_like(name: str, user: User) -> bool:
    """Whether the name looks like that of the user."""
    return names.skeleton(name) == names.skeleton(user.username)


def _is_reserved(name: str) -> bool:
    words = "".join(" " if letter in names.SIGNS else letter for letter in name).split()
    site = _list_looks("".join(filter(str.isalnum, site_settings.get().name)))
    whole = "".join(words)
    if _list_looks(whole) & (RESERVED | site):
        return True
    looks = {look for word in (whole, *words) for look in _list_looks(word)}
    return bool((looks | {look.removesuffix("s") for look in looks}) & OF_OPERATORS)


def _list_looks(text: str) -> set[str]:
    """How the text looks without accents and without *The*. Every number of the digits at its ends is
    left out, because ``0`` and ``1`` may stand for letters. A text of digits keeps them.
    """
    if text.isdecimal():
        return {names.skeleton(text)}
    first = len(text) - len(_without_first_digits(text))
    last = len(_without_first_digits(text[::-1]))
    parts = {text[start:end] for start in range(first + 1) for end in range(last, len(text) + 1)}
    looks = {names.skeleton(_without_accents(part)) for part in parts}
    return (looks | {look.removeprefix(_THE) for look in looks}) - {""}


def _without_accents(text: str) -> str:
    letters = unicodedata.normalize("NFD", text)
    return "".join(letter for letter in letters if unicodedata.category(letter) != "Mn")


def _without_first_digits(text: str) -> str:
    return "".join(itertools.dropwhile(str.isdecimal, text))
