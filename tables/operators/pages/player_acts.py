"""What operators do about a player, each with its reason: nothing is merged, nothing deleted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import Error as DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import adjusting
from accounts.adjusting import Adjusted
from accounts.models import Transfer, User
from accounts.money import money
from accounts.refused import Refused
from accounts.requests import user_of
from accounts.trail import Operator
from tables.operators import freezing, silencing, wallets
from tables.operators.gate import IS_BUSY, page, shown
from tables.operators.pages.player_forms import AdjustForm, NoteForm, ReasonForm
from tables.operators.pages.players import about

ASKS = ("GET", "HEAD", "POST")


@dataclass(frozen=True)
class _Act:
    """A thing to be done about a player: what is said before and after, and how it is done."""

    title: str
    effects: tuple[str, ...]
    button: str
    done: str
    is_so: str
    """When somebody else was first."""
    do: Callable[[Operator, int, str], bool]
    is_told: bool = False
    is_needed: bool = True


@page("accounts.freeze_user", *ASKS)
def freeze(request: HttpRequest, user_id: int) -> HttpResponse:
    """Keep the player out, after the operator has read what that means."""
    act = _Act(
        _("Freeze %(name)s"),
        (
            _(
                "Their open pages close within a second, and they cannot play, talk or take play "
                "money until they are unfrozen."
            ),
            _(
                "A bet that is not dealt comes back. A hand in a round stands, is settled when the "
                "round ends, and the seat is given up then."
            ),
            _("Their money, their sessions and the tables that they run stay."),
        ),
        _("Freeze"),
        _("The player %(name)s is frozen."),
        _("The player %(name)s was frozen already."),
        freezing.freeze,
        is_told=True,
    )
    return _ask(request, user_id, act)


@page("accounts.freeze_user", *ASKS)
def unfreeze(request: HttpRequest, user_id: int) -> HttpResponse:
    """Let the player in again."""
    act = _Act(
        _("Unfreeze %(name)s"),
        (_("They play again, in the browsers in which they are logged in, with what they have."),),
        _("Unfreeze"),
        _("The player %(name)s is let in again."),
        _("The player %(name)s was not frozen any more."),
        freezing.unfreeze,
        is_needed=False,
    )
    return _ask(request, user_id, act)


@page("accounts.silence_user", *ASKS)
def silence(request: HttpRequest, user_id: int) -> HttpResponse:
    """Let the player talk at no table."""
    act = _Act(
        _("Silence %(name)s"),
        (_("They can read the chat of every table and talk at none. They play on."),),
        _("Silence"),
        _("The player %(name)s is silenced."),
        _("The player %(name)s was silenced already."),
        lambda by, pk, reason: silencing.silence(by, pk, reason, is_silent=True),
    )
    return _ask(request, user_id, act)


@page("accounts.silence_user", *ASKS)
def unsilence(request: HttpRequest, user_id: int) -> HttpResponse:
    """Let the player talk again."""
    act = _Act(
        _("Let %(name)s talk again"),
        (_("They talk again at all tables whose hosts let them."),),
        _("Let them talk"),
        _("The player %(name)s may talk again."),
        _("The player %(name)s could talk already."),
        lambda by, pk, reason: silencing.silence(by, pk, reason, is_silent=False),
        is_needed=False,
    )
    return _ask(request, user_id, act)


@page("accounts.note_user", "POST")
def note(request: HttpRequest, user_id: int) -> HttpResponse:
    """Write a note on the player."""
    user = get_object_or_404(User, pk=user_id)
    form = NoteForm(request.POST)
    if not form.is_valid():
        context = {**about(request, user, "player"), "note_form": form}
        return shown(request, "player_note.html", user.username, context)
    said = form.cleaned_data
    try:
        is_new = silencing.note(Operator.of(request), user.pk, said["text"], key=said["key"])
    except (DatabaseError, TimeoutError):
        messages.error(request, IS_BUSY)
    else:
        if is_new:
            messages.success(request, _("The note is written."))
        else:
            messages.warning(request, _("That note is written already."))
    return redirect("admin:player", user.pk)


@page("accounts.adjust_wallet", *ASKS)
def adjust(request: HttpRequest, user_id: int) -> HttpResponse:
    """Give or take money: the form, then what it will come to, and then it is done."""
    user = get_object_or_404(User, pk=user_id)
    form = AdjustForm(request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {
        **about(request, user, "player_statement"),
        "form": form,
        "allowed": adjusting.allowed(user_of(request), timezone.now()),
    }
    if form.is_valid() and "sure" in request.POST:
        said = _("The wallet of %(name)s was adjusted and holds %(balance)s now.")
        before = _("That was done already. The wallet of %(name)s holds %(balance)s.")
        answer = _answer(
            request,
            form,
            user,
            said,
            before,
            lambda: wallets.adjust(
                Operator.of(request),
                user.pk,
                form.hundredths,
                key=form.cleaned_data["key"],
                reason=form.cleaned_data["reason"],
            ),
        )
        if answer is not None:
            return answer
    elif form.is_valid():
        context["becomes"] = (context["balance"] or 0) + form.hundredths
    return shown(request, "player_adjust.html", _("Adjust a wallet"), context)


@page("accounts.adjust_wallet", *ASKS)
def reverse(request: HttpRequest, user_id: int, transfer_id: int) -> HttpResponse:
    """Take an adjustment of this player's wallet back."""
    user = get_object_or_404(User, pk=user_id)
    sides = Transfer.objects.select_related("debit", "credit").filter(kind=Transfer.Kind.ADJUSTMENT)
    transfer = get_object_or_404(sides, pk=transfer_id)
    gave = transfer.credit.user_id == user.pk
    if not gave:
        transfer = get_object_or_404(sides, pk=transfer_id, debit__user=user)
    form = ReasonForm(request.POST if request.method == "POST" else None, is_told=True)
    if form.is_valid():
        said = _("The adjustment was reversed. The wallet of %(name)s holds %(balance)s now.")
        before = _("It was reversed already. The wallet of %(name)s holds %(balance)s.")
        answer = _answer(
            request,
            form,
            user,
            said,
            before,
            lambda: wallets.reverse(
                Operator.of(request), transfer.pk, reason=form.cleaned_data["reason"]
            ),
        )
        if answer is not None:
            return answer
    context = {
        **about(request, user, "player_statement"),
        "form": form,
        "transfer": transfer,
        "gave": gave,
        "allowed": adjusting.allowed(user_of(request), timezone.now()),
    }
    return shown(request, "player_reverse.html", _("Reverse an adjustment"), context)


def _ask(request: HttpRequest, user_id: int, act: _Act) -> HttpResponse:
    """Say what will happen, ask for the reason, and do it when that is sent."""
    user = get_object_or_404(User, pk=user_id)
    name = {"name": user.username}
    form = ReasonForm(
        request.POST if request.method == "POST" else None,
        is_told=act.is_told,
        is_needed=act.is_needed,
    )
    if form.is_valid():
        try:
            is_new = act.do(Operator.of(request), user.pk, form.cleaned_data["reason"])
        except Refused as refused:
            form.add_error(None, str(refused))
        except (DatabaseError, TimeoutError):
            form.add_error(None, str(IS_BUSY))
        else:
            said = act.done if is_new else act.is_so
            messages.add_message(
                request, messages.SUCCESS if is_new else messages.WARNING, said % name
            )
            return redirect("admin:player", user.pk)
    context = {**about(request, user, "player"), "form": form, "act": act}
    return shown(request, "player_act.html", act.title % name, context)


def _answer(
    request: HttpRequest, form: ReasonForm, user: User, said: str, before: str,
    do: Callable[[], Adjusted],
) -> HttpResponse | None:  # fmt: skip
    """Where it leads when money was moved; ``None`` with an error in the form when not."""
    try:
        done = do()
    except Refused as refused:
        form.add_error(None, str(refused))
    except (DatabaseError, TimeoutError):
        form.add_error(None, str(IS_BUSY))
    else:
        told = {"name": user.username, "balance": money(done.balance)}
        level = messages.SUCCESS if done.is_new else messages.WARNING
        messages.add_message(request, level, (said if done.is_new else before) % told)
        return redirect("admin:player_statement", user.pk)
    return None
