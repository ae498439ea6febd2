"""Amounts as people read and type them, in each language."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.utils import translation

from accounts.lib.downloads import format_decimal
from accounts.lib.form_fields import MoneyField
from accounts.lib.money import format_money, format_money_lazy
from tables.engine.errors import RuleViolation
from tables.texts.refusals import translate_refusal

AMOUNTS = (0, 5, 8750, 1000, 100_000, 12_345_678_90, -250_050)
WRITTEN = {
    "en": ["0", "0.05", "87.50", "10", "1,000", "12,345,678.90", "−2,500.50"],
    "de": ["0", "0,05", "87,50", "10", "1.000", "12.345.678,90", "−2.500,50"],
    "es": ["0", "0,05", "87,50", "10", "1.000", "12.345.678,90", "−2.500,50"],
    "fr": ["0", "0,05", "87,50", "10", "1\u202f000", "12\u202f345\u202f678,90", "−2\u202f500,50"],
}


@pytest.mark.parametrize("language", WRITTEN)
def test_amounts_are_written_as_the_language_writes_them(language: str) -> None:
    with translation.override(language):
        assert [format_money(amount) for amount in AMOUNTS] == WRITTEN[language]


def test_amounts_in_no_language_and_for_files_are_as_in_english() -> None:
    with translation.override(None):
        assert format_money(123_456_78) == "123,456.78"
    with translation.override("fr"):
        assert format_decimal(123_456_78) == "123456.78"


def test_the_amount_of_a_refusal_is_in_the_language_of_its_reader() -> None:
    with translation.override("en"):
        refusal = RuleViolation("code", "%(holds)s", holds=format_money_lazy(123_450))
    with translation.override("de"):
        assert translate_refusal(refusal) == "1.234,50"


def cleaned(typed: str) -> int | None:
    """What a field makes of it; ``None`` if it is refused."""
    try:
        return MoneyField(most=10**12).clean(typed)
    except ValidationError:
        return None


@pytest.mark.parametrize("language", WRITTEN)
def test_what_a_form_shows_is_understood_when_it_comes_back(language: str) -> None:
    field = MoneyField(most=10**12)
    with translation.override(language):
        for amount in (5, 8750, 1000, 100_000, 12_345_678_90):
            assert field.clean(field.prepare_value(amount)) == amount


@pytest.mark.parametrize("typed", ["1.000", "1.157", "12.345.678", "1 000", "1\u202f000,5"])
def test_points_and_spaces_are_thousands_except_in_english(typed: str) -> None:
    with translation.override("en"):
        assert cleaned(typed) is None
    for language in ("de", "es", "fr"):
        with translation.override(language):
            whole, _, rest = typed.partition(",")
            units = int("".join(digit for digit in whole if digit.isdigit()))
            assert cleaned(typed) == units * 100 + int(rest or 0) * 10


@pytest.mark.parametrize("typed", ["1,000", "1,157", "12,345,678"])
def test_commas_are_thousands_only_in_english(typed: str) -> None:
    with translation.override("en"):
        assert cleaned(typed) == int(typed.replace(",", "")) * 100
    for language in ("de", "es", "fr"):
        with translation.override(language):
            assert cleaned(typed) is None


@pytest.mark.parametrize("language", WRITTEN)
@pytest.mark.parametrize(
    ("typed", "hundredths"),
    [
        ("7,5", 750), ("7.5", 750), ("87,50", 8750), ("87.50", 8750), ("1.157,50", 115_750),
        ("1,157.50", 115_750), ("1000", 100_000), ("0,500", None), ("0.500", None),
        ("1.00.000", None), ("1.000,000", None), ("1,000,00", None), ("1 00", None),
        ("1.000 000", None), ("1000.000", None), ("12.3456", None), ("1.000.", None),
    ],
)  # fmt: skip
def test_other_amounts_mean_the_same_in_every_language(
    language: str, typed: str, hundredths: int | None
) -> None:
    with translation.override(language):
        assert cleaned(typed) == hundredths
