"""The player that a filter means: by present or former name, or by number."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from accounts.lib.ids import parse_id
from accounts.lib.names import isolated
from accounts.models import User
from accounts.users import former_names, search

_MOST_OTHERS = 5


@dataclass(frozen=True, slots=True)
class FoundPlayer:
    """A player, and what an operator has to know about the name that was searched."""

    user: User
    formerly: str = ""
    """The name that the player had, if it was found by that one."""
    others: tuple[User, ...] = field(default=())
    """Other players who had the name."""

    @property
    def note(self) -> str:
        """A sentence about former names; empty if there are none."""
        sentences = []
        if self.formerly:
            sentences.append(
                _("%(name)s, formerly %(former)s.")
                % {"name": isolated(self.user.username), "former": isolated(self.formerly)}
            )
        if self.others:
            names = ", ".join(f"{isolated(one.username)} (user:{one.pk})" for one in self.others)
            sentences.append(_("The name was also that of %(others)s.") % {"others": names})
        return " ".join(sentences)


def find_player(words: str) -> FoundPlayer | None:
    """The player with this name; else the last one who had it; else the one with this number.

    ``user:7`` is always a number.
    """
    kind, _colon, number = words.rpartition(":")
    if kind == "user":
        return _find_by_id(number)
    present = search.find_by_name(words)
    former = list(former_names.find_bearers(words)[: _MOST_OTHERS + 1])
    users = list(dict.fromkeys(row.user for row in former if row.user != present and row.user))
    if present is not None:
        return FoundPlayer(present, others=tuple(users))
    if users:
        return FoundPlayer(users[0], former[0].name, tuple(users[1:]))
    return _find_by_id(words)


def _find_by_id(text: str) -> FoundPlayer | None:
    user_id = parse_id(text)
    user = None if user_id is None else User.objects.filter(pk=user_id).first()
    return None if user is None else FoundPlayer(user)
