"""The translations are complete and right, for everything that players read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import translations
from tests.helpers.translations import DOMAINS, LANGUAGES, LOCALE, Catalog, catalogs, read_catalog

PLURALS = {"de": "(n != 1)", "es": "(n != 1)", "fr": "(n > 1)"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_of_players_is_translated(language: str) -> None:
    missing = [entry.id for catalog in catalogs(language) for entry in catalog.missing()]
    assert not missing, f"{len(missing)}, such as {missing[:5]}: make messages"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_loses_placeholders_tags_or_forms(language: str) -> None:
    faults = [fault for catalog in catalogs(language) for fault in catalog.faults()]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_catalogues_are_those_of_the_sources(language: str) -> None:
    for catalog in catalogs(language):
        compiled = catalog.path.with_suffix(".mo").read_bytes()
        assert compiled == catalog.compiled(), f"{catalog.path}: make messages"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_sentences_of_the_source(language: str) -> None:
    for domain, catalog in zip(DOMAINS, catalogs(language), strict=True):
        source = read_catalog(LOCALE / f"en/LC_MESSAGES/{domain}.po")
        assert keys(catalog) == keys(source), "make messages"
        assert catalog.plural_forms.endswith(f"nplurals=2; plural={PLURALS[language]};")


def keys(catalog: Catalog) -> set[tuple[str, str, str]]:
    return {(entry.context, entry.id, entry.plural) for entry in catalog.entries}


def test_players_sentences_are_known_by_their_places() -> None:
    entries = {
        entry.id: entry for entry in read_catalog(LOCALE / "en/LC_MESSAGES/django.po").entries
    }
    assert entries["Lobby"].is_players
    assert entries["Surrendered"].is_players
    operators = [entry for entry in entries.values() if not entry.is_players]
    assert len(operators) > 300
    assert not any(place.startswith("templates/tables") for e in operators for place in e.places)


SENTENCES = """
#: templates/base.html
msgid "%(name)s has <b>%(count)s</b> chip"
msgid_plural "%(name)s has <b>%(count)s</b> chips"
msgstr[0] "{one}"
msgstr[1] "{many}"
"""
GOOD = "%(name)s hat <b>%(count)s</b> Chips"
HEAD = 'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n'


@pytest.mark.parametrize(
    ("many", "fault"),
    [
        (GOOD, None),
        ("<b>%(count)s</b> Chips hat %(name)s", None),
        ("%(nam)s hat <b>%(count)s</b> Chips", "placeholders"),
        ("%(name) hat <b>%(count)s</b> Chips", "placeholders"),
        ("%(name)s hat <b>%(count)s</b> Chips, 5 %", "placeholders"),
        ("%(name)s hat %(count)s Chips", "tags"),
        ("%(name)s hat <b>%(count)s<b> Chips", "tags"),
        (f"{GOOD} ", "space"),
        ("", "form"),
    ],
)
def test_a_fault_of_a_translation_is_found(tmp_path: Path, many: str, fault: str | None) -> None:
    (tmp_path / "x.po").write_text(HEAD + SENTENCES.format(one=GOOD, many=many))
    catalog = read_catalog(tmp_path / "x.po")
    faults = list(catalog.faults())
    assert (not faults) if fault is None else (fault in faults[0] and len(faults) == 1)


def test_a_fuzzy_translation_is_missing_and_not_compiled(tmp_path: Path) -> None:
    text = (
        HEAD + '\n#: templates/base.html\n#, fuzzy, python-format\nmsgid "Lobby"\nmsgstr "Foyer"\n'
    )
    (tmp_path / "x.po").write_text(text)
    catalog = read_catalog(tmp_path / "x.po")
    assert [entry.id for entry in catalog.missing()] == ["Lobby"]
    assert list(catalog.faults()) == ["is fuzzy: 'Lobby'"]
    assert b"Foyer" not in catalog.compiled()
    (tmp_path / "x.po").write_text(text.replace("fuzzy, ", ""))
    assert b"Foyer" in read_catalog(tmp_path / "x.po").compiled()


def test_every_language_of_the_site_has_a_catalogue() -> None:
    from django.conf import settings

    assert [code for code, _ in settings.LANGUAGES] == ["en", *LANGUAGES]
    assert settings.LOCALE_PATHS[0] == translations.LOCALE
