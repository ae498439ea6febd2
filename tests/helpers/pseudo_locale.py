"""A language that nobody speaks: every sentence stands in ⟦brackets⟧, so that what was never
translated shows.

What is filled into a sentence stands outside of its brackets, and must have been translated itself.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from accounts.lib import zones
from accounts.lib.date_forms import FORMS
from tests.helpers.servers.process import ROOT
from tests.helpers.translations import compile_texts

LANGUAGE = "en-xa"
LANGUAGES = [(LANGUAGE, "⟦one⟧"), ("en", "⟦two⟧")]
"""Two, so that pages offer the choice."""
CATALOGS = ROOT / "locale/en/LC_MESSAGES"
OTHERS = ("django/conf", "django/contrib/auth", "django/contrib/admin", "allauth")
"""Whose texts stand on our pages too, and are translated by their own catalogs."""

CODE = "K7QM-9TXD"
"""An example of a table's code, where one is typed."""

_HEADER = "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=(n != 1);\n"
_NO_WORDS = re.compile(r"(%\(\w+\)[sd]|%[sd%]|\{\w*\}|</?\w[^>]*>)")
_LETTER = re.compile(r"[^\W\d_]")
_TRANSLATED = re.compile(r"⟦[^⟦⟧]*⟧")


class Message(NamedTuple):
    """One entry of a catalog."""

    id: str
    plural: str = ""
    context: str = ""


def read_catalog(path: Path) -> list[Message]:
    """The entries of a ``.po`` file, without its head."""
    messages = []
    for block in path.read_text().split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        entry: dict[str, str] = {}
        key = ""
        for line in lines:
            word, _, quoted = line.partition(" ") if line[0] != '"' else ("", "", line)
            key = word or key
            entry[key] = entry.get(key, "") + ast.literal_eval(quoted)
        if entry.get("msgid"):
            messages.append(
                Message(entry["msgid"], entry.get("msgid_plural", ""), entry.get("msgctxt", ""))
            )
    return messages


def in_brackets(text: str) -> str:
    """The sentence in the language that nobody speaks.

    >>> in_brackets("A bet of %(stake)s.")
    '⟦A bet of ⟧%(stake)s.'
    """
    parts = _NO_WORDS.split(text)
    return "".join(
        f"⟦{part}⟧" if number % 2 == 0 and _LETTER.search(part) else part
        for number, part in enumerate(parts)
    )


def write_locale(folder: Path, locale: str = "en_XA") -> Path:
    """Catalogs of that language: ours, and those of Django and allauth. With another ``locale``,
    such as ``de``, they stand in for the translations into that language.
    """
    place = folder / locale / "LC_MESSAGES"
    place.mkdir(parents=True)
    ours = read_catalog(CATALOGS / "django.po")
    others = [message for path in _catalogs_of_others() for message in read_catalog(path)]
    (place / "django.mo").write_bytes(_compiled([*others, *ours]))
    (place / "djangojs.mo").write_bytes(_compiled(read_catalog(CATALOGS / "djangojs.po")))
    return folder


def _catalogs_of_others() -> Iterator[Path]:
    for name in OTHERS:
        package, *inner = name.split("/")
        spec = find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        yield Path(spec.origin).parent.joinpath(*inner, "locale/en/LC_MESSAGES/django.po")


def _compiled(messages: list[Message]) -> bytes:
    """A ``.mo`` file with every sentence in brackets."""
    texts = {"": _HEADER}
    for message in messages:
        key = f"{message.context}\x04{message.id}" if message.context else message.id
        if message.plural:
            texts[f"{key}\0{message.plural}"] = (
                f"{in_brackets(message.id)}\0{in_brackets(message.plural)}"
            )
        else:
            texts[key] = in_brackets(message.id)
    return compile_texts(texts)


def bare(text: str) -> str:
    """What of a text was not translated; empty when all was, or when there are no words in it."""
    rest = " ".join(_TRANSLATED.sub(" ", text.replace(CODE, "")).split())
    return rest if _LETTER.search(rest) else ""


def bare_texts(page: str) -> list[str]:
    """Everything on a page that people read or hear and that was not translated."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return [rest for text in reader.texts if (rest := bare(text))]


def zoned_names() -> frozenset[str]:
    """The names of time zones."""
    return frozenset(name for _area, places in zones.list_choices() for name, _place in places) | {
        "UTC"
    }


class _Reader(HTMLParser):
    """Collects the texts of a page; not code, nor what is drawn and has its words in a label."""

    SPOKEN = ("aria-label", "aria-description", "alt", "placeholder", "title")
    SILENT = ("script", "style", "code", "kbd")
    EMPTY = ("input", "meta", "link", "br", "img", "hr")

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.silent: list[str] = []
        """The open elements from the first silent one on."""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        if not self.silent:
            self.texts += [values[name] for name in self.SPOKEN if name in values]
        if tag == "meta" and values.get("name") == "description":
            self.texts.append(values["content"])
        # Names of time zones, and examples of dates, are the same in every language.
        is_example = tag == "option" and values.get("value", "") in (*zoned_names(), *FORMS)
        is_silent = tag in self.SILENT or values.get("role") == "img" or is_example
        if tag not in self.EMPTY and (is_silent or self.silent):
            self.silent.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Nothing is in it."""

    def handle_endtag(self, tag: str) -> None:
        if self.silent:
            assert self.silent.pop() == tag, f"</{tag}> where something else is open"

    def handle_data(self, text: str) -> None:
        if not self.silent:
            self.texts.append(text)
