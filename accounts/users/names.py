"""Names of players against those that are taken or reserved."""

from __future__ import annotations

from typing import Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy

from accounts.lib import names
from accounts.models import NAME_TAKEN, NAME_TOO_CLOSE, User

NAME_RESERVED: Final = gettext_lazy("That name is reserved. Choose another one.")
RESERVED: Final = frozenset(
    map(names.skeleton, ("admin", "bank", "dealer", "operator", "TheCardRoom", "CardRoom"))
)
"""The looks of names that only the command line gives: they would speak for the site."""


def clean(name: str, *, owner: User | None = None) -> str:
    """Check a new name of ``owner``, or of a new user; returns it as it is stored.

    Raises ``ValidationError``. Another user may take the name before it is stored: then the
    database refuses it.
    """
    name = names.normalized(name)
    names.validate(name)
    if owner is not None and names.folded(name) == owner.folded:
        return name
    if User.objects.filter(folded=names.folded(name)).exists():
        raise ValidationError(NAME_TAKEN, code="username_taken")
    look = names.skeleton(name)
    if look in RESERVED:
        raise ValidationError(NAME_RESERVED, code="reserved")
    alike = User.objects.filter(skeleton=look)
    if owner is not None:
        alike = alike.exclude(pk=owner.pk)
    if alike.exists():
        raise ValidationError(NAME_TOO_CLOSE, code="too_close")
    return name
