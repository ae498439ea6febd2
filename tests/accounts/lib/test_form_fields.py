"""Fields: an amount is written in plain digits."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.utils import translation

from accounts.lib.form_fields import MoneyField


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(
    "typed",
    [
        "1e3", "1E3", "1.5e1", "1_000", "1__0", "\u0663", "\u0663.5", "\uff11\uff10", "\u0967",
        "+5", "5.", "0x5", "5-", "--5", "NaN", "sNaN", "Infinity", "-inf", "\u00bd", "5\0",
    ],
)  # fmt: skip
def test_what_is_not_in_plain_digits_is_no_amount(language: str, typed: str) -> None:
    with translation.override(language), pytest.raises(ValidationError) as raised:
        MoneyField(most=100_000_000).clean(typed)
    assert raised.value.code == "invalid"


@pytest.mark.parametrize(
    ("typed", "hundredths"), [("5", 500), (" 5.05 ", 505), (".5", 50), ("0", 0), ("007", 700)]
)
def test_plain_digits_are_an_amount(typed: str, hundredths: int) -> None:
    assert MoneyField(most=100_000_000).clean(typed) == hundredths


@pytest.mark.parametrize("typed", ["", " "])
def test_an_amount_that_may_be_left_out_may_be_empty(typed: str) -> None:
    assert MoneyField(most=100, required=False).clean(typed) is None


def test_a_negative_amount_is_told_the_least() -> None:
    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        MoneyField(least=100, most=1000).clean("-5")
