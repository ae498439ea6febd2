"""A check of new passwords, besides Django's."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from accounts.models import User


class VisibleCharacterValidator:
    """Refuses a password of spaces and other characters that cannot be seen."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Raise ``ValidationError`` for it."""
        if not any(character.isprintable() and not character.isspace() for character in password):
            raise ValidationError(gettext("A password can't be spaces alone."), code="only_spaces")

    def get_help_text(self) -> str:
        """The rule in a sentence."""
        return gettext("A password can't be spaces alone.")
