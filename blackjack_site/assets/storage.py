"""Static files: one stylesheet and one script per page, with content hashes in their names.

With ``DEBUG`` browsers fetch the many small sources. Otherwise ``collectstatic`` bundles
each of :data:`STYLES` with its imports, and a script for each module that no other module imports: the
entry of a page.
"""

from __future__ import annotations

import gzip
import posixpath
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import brotli
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage

from blackjack_site.assets.bundler import bundle_scripts, bundle_styles, list_imports

STYLES = ("site.css", "operators.css")
"""The stylesheets of the players' and of the operators' pages."""

Paths = dict[str, tuple[Any, str]]


class BundledStaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Hashes and compresses the bundles; the sources are not served.

    ``{% static %}`` of a source is an error, like any missing file.
    """

    def post_process(
        self, paths: Paths, dry_run: bool = False, **options: Any
    ) -> Iterator[tuple[str, str | None, bool | Exception]]:
        """Process the collected files; called by Django with name → (storage, path)."""
        if not dry_run:
            paths = _bundle(paths)
        yield from super().post_process(paths, dry_run=dry_run, **options)

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Compress the served files, unless an earlier start did: this is the slowest step."""
        linked = {
            hashed
            for name, hashed in self.hashed_files.items()
            if _minify(name) not in self.hashed_files
        }
        fresh = [path for path in linked.intersection(paths) if not _is_compressed(self.path(path))]
        yield from super().compress_files(fresh)


def _minify(name: str) -> str:
    stem, suffix = posixpath.splitext(name)
    return f"{stem}.min{suffix}"


def _is_compressed(path: str) -> bool:
    """Whether an earlier start has completely compressed the file."""
    try:
        text = Path(path).read_bytes()
        return (
            gzip.decompress(Path(f"{path}.gz").read_bytes()) == text
            and brotli.decompress(Path(f"{path}.br").read_bytes()) == text
        )
    except (OSError, EOFError, zlib.error, brotli.error):
        return False


def _bundle(paths: Paths) -> Paths:
    styles, scripts = _read_sources(paths, "css"), _read_sources(paths, "js")
    pieces = {needed for name, text in scripts.items() for needed in list_imports(name, text)}
    joined = {f"css/{name}": bundle_styles(name, styles) for name in STYLES} | {
        f"js/{name}": bundle_scripts(name, scripts) for name in scripts.keys() - pieces
    }
    memory = InMemoryStorage()
    for name, text in joined.items():
        memory.save(name, ContentFile(text.encode()))
    others = {name: where for name, where in paths.items() if _folder(name) not in ("css", "js")}
    return others | {name: (memory, name) for name in joined}


def _read_sources(paths: Paths, folder: str) -> dict[str, str]:
    """The texts of our own files by their path in a folder; ``admin`` is excluded."""
    return {
        posixpath.relpath(_normalize_name(name), folder): storage.open(path).read().decode()
        for name, (storage, path) in paths.items()
        if _folder(name) == folder
    }


def _folder(name: str) -> str:
    """The first folder of a path: ``js`` of ``js/hud/countdown.js``."""
    return _normalize_name(name).partition("/")[0]


def _normalize_name(name: str) -> str:
    return name.replace("\\", "/")
