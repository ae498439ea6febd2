"""Views of practice: the page, its hands, and their values. None needs a login."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import consume_rate_limit, get_user
from accounts.lib.errors import BUSY, TRY_AGAIN
from accounts.models import User
from tables.advice import practice
from tables.advice import progress as account_progress
from tables.advice.practice import Dealt, HandKind
from tables.engine.cards import Card
from tables.engine.errors import CardError, OptionError
from tables.engine.hand import Hand
from tables.engine.options import OPTIONS, WITHOUT_ODDS, customize
from tables.engine.presets import CASINO, PRESETS
from tables.engine.rules import Ruleset
from tables.lib.urls import url_with_query
from tables.odds.unseen_cards import CannotHappenError
from tables.texts import rules as texts_rules
from tables.views.decorators import redirect_get_to

TIMES: Final = (0, 3, 5, 10, 20)
"""The seconds for an answer that the page offers; 0: no limit."""
MOST_MISSED: Final = 60
"""The number of missed spots that are read of a request."""
MOST_WEIGHT: Final = 9
OWN: Final = "own"
"""In the place of a rule set's key: the rules of ``own``."""

_random = Random()  # noqa: S311 - nothing is staked


@never_cache
@require_safe
def practice_page(request: HttpRequest) -> HttpResponse:
    """The page. Its rule set, with options, is in the query: ``?rules=vegas&decks=2``.

    Rules with the options of a table stay in the list beside the rule sets: ``own`` is their query
    when another one is chosen, and ``?rules=own`` chooses them again.
    """
    key, options = _read_game(request.GET)
    rules = _customize(key, options)
    game = {"rules": key, **options}
    own = _read_own(request.GET)
    context = {
        "rules": rules,
        "own": _customize(*own) if own else None,
        "own_query": urlencode({"rules": own[0], **own[1]}) if own else "",
        "is_own": own == (key, options),
        "differences": texts_rules.list_differences(rules),
        "presets": PRESETS.values(),
        "times": TIMES,
        "config": {
            "game": urlencode(game),
            "account": request.user.pk,
            "unit": _find_unit(rules),
            "hand_url": url_with_query("practice-hand", game),
            "values_url": url_with_query("practice-values", game),
            "progress_url": reverse("practice-progress"),
            "kept": account_progress.load(request.user) if isinstance(request.user, User) else {},
        },
    }
    return render(request, "tables/practice/practice.html", context)


def _find_unit(rules: Ruleset) -> str:
    """The unit of the values: bets, hands, or cards of the piles."""
    if rules.has_piles:
        return "cards"
    return "hands" if rules.stakes is None else "bets"


@never_cache
@require_safe
def hand(request: HttpRequest) -> HttpResponse:
    """Deal a hand. Its values are asked for after the answer, so that a page has them no earlier
    and nobody reads them in it by mistake.
    """
    if not consume_rate_limit(request, "practice", counts_get=True):
        return _refuse_rate()
    rules = _customize(*_read_game(request.GET))
    try:
        kind = HandKind(request.GET.get("hands", "all"))
    except ValueError as error:
        raise Http404 from error
    dealt = practice.deal(rules, _random, kind, _read_missed(request.GET.get("missed", "")))
    decision = practice.evaluate_dealt(rules, dealt)
    return JsonResponse(
        {
            "hand": [str(card) for card in dealt.hand.cards],
            "up": str(dealt.up),
            "total": dealt.hand.total,
            "soft": dealt.hand.is_soft,
            "asks_insurance": dealt.asks_insurance,
            "actions": practice.list_actions(decision),
            "spot": str(dealt.spot),
        }
    )


@never_cache
@require_safe
def values(request: HttpRequest) -> HttpResponse:
    """The values of all actions of a hand, in :func:`_find_unit`; with ``asks=insurance``, of the
    answers about insurance.
    """
    if not consume_rate_limit(request, "practice", counts_get=True):
        return _refuse_rate()
    rules = _customize(*_read_game(request.GET))
    try:
        dealt = Dealt(
            Hand.parse(request.GET["hand"]),
            Card.parse(request.GET["up"]),
            asks_insurance=request.GET.get("asks") == "insurance",
        )
        if not 2 <= len(dealt.hand.cards) <= practice.MOST_CARDS:
            raise CardError(request.GET["hand"])
        decision = practice.evaluate_dealt(rules, dealt)
    except (KeyError, CardError, CannotHappenError) as error:
        message = error.args[0] if isinstance(error, CannotHappenError) else _("No such hand.")
        return JsonResponse({"error": message}, status=400)
    return JsonResponse(
        {
            "values": {action.value: value for action, value in decision.values.items()},
            "insurance": decision.insurance,
            "chances": {action.value: chances for action, chances in decision.chances.items()},
        }
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_get_to("practice")
def progress(request: HttpRequest) -> HttpResponse:
    """Add what was answered to the user's figures, or reset a game; answer with the figures."""
    if not consume_rate_limit(request, "practice_progress"):
        return _refuse_rate()
    if request.content_type != "application/json":
        raise Http404
    try:
        payload = account_progress.parse_sent(request.body)
    except msgspec.MsgspecError as error:
        return JsonResponse({"error": str(error)}, status=400)
    try:
        return JsonResponse({"games": account_progress.apply(get_user(request), payload)})
    except BUSY:
        return JsonResponse({"error": str(TRY_AGAIN)}, status=503)


def _refuse_rate() -> JsonResponse:
    return JsonResponse({"error": _("Too many hands at once. Wait a moment.")}, status=429)


def practice_url(key: str, options: dict[str, Any]) -> str:
    """The page for a table's rules."""
    return url_with_query("practice", {"rules": key, **_drop_without_odds(options)})


def _read_own(query: QueryDict) -> tuple[str, dict[str, Any]] | None:
    """The rules with options that the list keeps; ``None`` if there are none."""
    key, options = _read_game(QueryDict(str(query["own"])) if "own" in query else query)
    return (key, options) if options else None


def _read_game(query: QueryDict) -> tuple[str, dict[str, Any]]:
    """The key of the preset and the options, in the order of :data:`OPTIONS`."""
    if query.get("rules") == OWN:
        query = QueryDict(query.get("own", ""))
    named = {name: _parse_value(str(query[name])) for name in OPTIONS if name in query}
    return query.get("rules", CASINO.key), _drop_without_odds(named)


def _drop_without_odds(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in WITHOUT_ODDS}


def _parse_value(text: str) -> Any:
    """``true`` and ``True``, ``2`` or ``3:2``, as they are in a URL."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return int(text) if text.isdecimal() and len(text) < 3 else text


def _customize(key: str, options: dict[str, Any]) -> Ruleset:
    """The rules with one player, for whom fewer decks are enough than for a full table."""
    try:
        rules = customize(key, {"seats": 1, **options})
    except (KeyError, OptionError) as error:
        raise Http404 from error
    return replace(rules, seats=PRESETS[key].seats)


def _read_missed(text: str) -> dict[str, int]:
    """``hard-16-T:3,pairs-88-A:1``: spots and their weights. What cannot be read is left out."""
    weights = {}
    for pair in text.split(",")[:MOST_MISSED]:
        spot, _separator, weight = pair.partition(":")
        if weight.isdecimal() and len(weight) < 3 and int(weight):
            weights[spot] = min(int(weight), MOST_WEIGHT)
    return weights
