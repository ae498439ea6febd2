from __future__ import annotations

from django.http import HttpRequest

from accounts import bank


def wallet(request: HttpRequest) -> dict[str, int | None]:
    """``wallet_balance`` in hundredths, for the head of every page; ``None`` without a wallet."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {"wallet_balance": bank.balances_of([user.pk]).get(user.pk)}
