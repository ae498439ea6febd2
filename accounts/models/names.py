"""Columns that are derived from the name of a user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models

from accounts.lib import names

if TYPE_CHECKING:
    TextField = models.CharField[str, str]
    LookField = models.CharField[str | None, str | None]
else:
    TextField = LookField = models.CharField


class FoldedName(TextField):
    """The name without case, which a login or a search looks up. Written with every save."""

    def pre_save(self, user: Any, add: bool) -> Any:
        setattr(user, self.attname, names.folded(user.username))
        return super().pre_save(user, add)


class NameSkeleton(LookField):
    """What the name looks like, written for a new user. Unique, so that of two sign-ups at the same
    moment one is refused.

    A later save does not write it: a user from before the column may have none, because an older
    one looks the same. ``User.rename`` does.
    """

    def pre_save(self, user: Any, add: bool) -> Any:
        if add:
            setattr(user, self.attname, names.skeleton(user.username))
        return super().pre_save(user, add)
