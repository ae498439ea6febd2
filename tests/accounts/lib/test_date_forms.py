"""The form of dates that an account has chosen."""

from __future__ import annotations

import datetime as dt

import pytest
from django.utils import translation

from accounts.lib import date_forms, times

MOMENT = dt.datetime(2026, 11, 25, 14, 5, 9, 123_000, tzinfo=dt.UTC)
FORMATS = {
    "j F Y": ("25 November 2026", "2026-11-25", "25.11.2026", "25/11/2026", "11/25/2026"),
    "j M": ("25 Nov", "11-25", "25.11.", "25/11", "11/25"),
    "F Y": ("November 2026",) * 5,
    "j M Y, H:i": (
        "25 Nov 2026, 14:05", "2026-11-25 14:05", "25.11.2026 14:05", "25/11/2026 14:05",
        "11/25/2026 2:05 PM",
    ),
    "H:i:s": ("14:05:09", "14:05:09", "14:05:09", "14:05:09", "2:05:09 PM"),
    "H:i:s.u": ("14:05:09.123000",) * 4 + ("2:05:09.123000 PM",),
    "DATETIME_FORMAT": (
        "25 Nov 2026, 14:05", "2026-11-25 14:05", "25.11.2026 14:05", "25/11/2026 14:05",
        "11/25/2026 2:05 PM",
    ),
    "c": ("2026-11-25T14:05:09.123000+00:00",) * 5,
    "Y-m-d": ("2026-11-25", "2026-11-25", "25.11.2026", "25/11/2026", "11/25/2026"),
}  # fmt: skip


@pytest.mark.parametrize("style", FORMATS)
def test_each_format_has_its_parts_in_the_chosen_form(style: str) -> None:
    for key, text in zip(date_forms.FORMS, FORMATS[style], strict=True):
        with date_forms.use(key):
            assert times.format_date(MOMENT, style) == text, key


@pytest.mark.parametrize("language", ["de", "es", "fr"])
@pytest.mark.parametrize("style", ["j F Y", "j F Y, H:i"])
def test_the_formats_of_other_languages_are_understood(language: str, style: str) -> None:
    """Spanish has escaped words between the parts: ``j \\d\\e F``."""
    with translation.override(language), date_forms.use("iso"):
        pattern = translation.pgettext("date format", style)
        assert times.format_date(MOMENT, pattern) == (
            "2026-11-25 14:05" if "H" in style else "2026-11-25"
        )


def test_an_unknown_form_is_that_of_the_language() -> None:
    with date_forms.use("roman"):
        assert times.format_date(MOMENT, "j F Y") == "25 November 2026"


def test_a_form_holds_only_within_its_context() -> None:
    with date_forms.use("iso"):
        pass
    assert times.format_date(MOMENT, "j F Y") == "25 November 2026"
