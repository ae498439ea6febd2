"""The catalogues of the translators: what players read, what is missing or wrong, and the ``.mo`` files.

``make messages`` runs it: it compiles every catalogue, and prints what is missing. Users need no
program of gettext, as the compiled files are in the repository; ``tests/test_translations.py``
compares them with their sources.
"""

from __future__ import annotations

import ast
import re
import struct
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LOCALE = ROOT / "locale"
LANGUAGES = ("de", "es", "fr")
"""The languages beside English, in which the sentences are written."""
DOMAINS = ("django", "djangojs")
OPERATORS = (
    "templates/admin/", "tables/operators/", "accounts/admin/", "tables/admin.py",
    "tables/management/", "tables/audit/", "accounts/ledger/audit.py",
    "accounts/ledger/adjustments.py", "accounts/models/site.py", "accounts/doors/bans.py",
    "accounts/models/alerts.py", "tables/models/alerts.py", "accounts/models/staff.py",
    "accounts/staff/", "accounts/lists/",
)  # fmt: skip
"""Where sentences for operators are. Their pages are in English, so these may stay untranslated."""

_PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}")
_PERCENT = re.compile(r"%%|%(?!\()")
_TAG = re.compile(r"</?\w[^>]*>")


@dataclass(slots=True)
class Entry:
    """A sentence of a catalogue and its translation."""

    id: str
    plural: str = ""
    context: str = ""
    texts: list[str] = field(default_factory=list)
    """The translation; one for each form if there is a plural."""
    places: list[str] = field(default_factory=list)
    is_fuzzy: bool = False

    @property
    def is_players(self) -> bool:
        """Whether anything but an operators' page uses it."""
        return not all(place.startswith(OPERATORS) for place in self.places)

    @property
    def is_translated(self) -> bool:
        return bool(self.texts) and all(self.texts) and not self.is_fuzzy


@dataclass(frozen=True, slots=True)
class Catalog:
    """A ``.po`` file."""

    path: Path
    header: str
    entries: tuple[Entry, ...]

    @property
    def plural_forms(self) -> str:
        """The line of the header."""
        return next(line for line in self.header.splitlines() if line.startswith("Plural-Forms:"))

    @property
    def form_count(self) -> int:
        match = re.search(r"nplurals=(\d+)", self.plural_forms)
        assert match is not None
        return int(match[1])

    def missing(self) -> list[Entry]:
        """The players' sentences without a translation."""
        return [each for each in self.entries if each.is_players and not each.is_translated]

    def faults(self) -> Iterator[str]:
        """What is wrong with the translations that are there."""
        for entry in self.entries:
            if entry.is_fuzzy:
                yield f"is fuzzy: {entry.id!r}"
            elif any(entry.texts):
                yield from (f"{fault}: {entry.id!r}" for fault in _faults(entry, self.form_count))

    def compiled(self) -> bytes:
        """The ``.mo`` file. It depends on the translations alone, not on dates."""
        header = f"Content-Type: text/plain; charset=UTF-8\n{self.plural_forms}\n"
        texts = {"": header}
        for entry in self.entries:
            if entry.is_translated:
                key = f"{entry.context}\x04{entry.id}" if entry.context else entry.id
                key = f"{key}\0{entry.plural}" if entry.plural else key
                texts[key] = "\0".join(entry.texts)
        return compile_texts(texts)


def read_catalog(path: Path) -> Catalog:
    """Read a ``.po`` file."""
    header = ""
    entries = []
    for block in path.read_text().split("\n\n"):
        entry, parts = Entry(""), dict[str, str]()
        key = ""
        for line in block.splitlines():
            if line.startswith("#:"):
                entry.places += line.removeprefix("#:").split()
            elif line.startswith("#,"):
                entry.is_fuzzy = "fuzzy" in line
            elif line and not line.startswith("#"):
                word, _, quoted = line.partition(" ") if line[0] != '"' else ("", "", line)
                key = word or key
                parts[key] = parts.get(key, "") + ast.literal_eval(quoted)
        entry.id, entry.plural = parts.get("msgid", ""), parts.get("msgid_plural", "")
        entry.context = parts.get("msgctxt", "")
        entry.texts = [text for name, text in sorted(parts.items()) if name.startswith("msgstr")]
        if entry.id:
            entries.append(entry)
        elif parts:
            header = entry.texts[0]
    return Catalog(path, header, tuple(entries))


def catalogs(language: str) -> list[Catalog]:
    """The catalogues of a language: of the pages, and of the scripts."""
    folder = LOCALE / language / "LC_MESSAGES"
    return [read_catalog(folder / f"{domain}.po") for domain in DOMAINS]


def compile_texts(texts: Mapping[str, str]) -> bytes:
    """A ``.mo`` file: two tables of lengths and places, and then the texts."""
    pairs = sorted((key.encode(), text.encode()) for key, text in texts.items())
    place = 28 + 16 * len(pairs)
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, place)
    tables, content = b"", b""
    for column in (0, 1):
        for pair in pairs:
            tables += struct.pack("<2I", len(pair[column]), place + len(content))
            content += pair[column] + b"\0"
    return head + tables + content


def _faults(entry: Entry, form_count: int) -> Iterator[str]:
    expected = form_count if entry.plural else 1
    if len(entry.texts) != expected or not all(entry.texts):
        yield f"has not {expected} form(s)"
    sources = (entry.id, entry.plural or entry.id)
    for text in filter(None, entry.texts):
        if _signs(text) not in map(_signs, sources):
            yield f"has other placeholders in {text!r}"
        if Counter(_TAG.findall(text)) not in [Counter(_TAG.findall(each)) for each in sources]:
            yield f"has other tags in {text!r}"
        if _ends(text) not in map(_ends, sources):
            yield f"has another space at its beginning or end in {text!r}"


def _signs(text: str) -> tuple[set[str], list[str]]:
    """The placeholders, and single and double percent signs: a wrong one breaks the sentence."""
    return set(_PLACEHOLDER.findall(text)), sorted(_PERCENT.findall(text))


def _ends(text: str) -> tuple[str, str]:
    return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]


def main() -> None:
    """Compile every catalogue, and print what is missing; with ``--list``, each sentence."""
    for language in LANGUAGES:
        language_catalogs = catalogs(language)
        for catalog in language_catalogs:
            catalog.path.with_suffix(".mo").write_bytes(catalog.compiled())
        missing = [entry for catalog in language_catalogs for entry in catalog.missing()]
        count = sum(entry.is_players for catalog in language_catalogs for entry in catalog.entries)
        print(f"{language}: {len(missing)} of {count} players' sentences are missing")
        for fault in (fault for catalog in language_catalogs for fault in catalog.faults()):
            print(f"  {fault}")
        if "--list" in sys.argv:
            for entry in missing:
                print(f"  {entry.places[0]}: {entry.id!r}")


if __name__ == "__main__":
    main()
