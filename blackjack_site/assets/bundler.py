"""The bundler: one stylesheet from ``@import`` and one script per page from ``import``.

It supports only the syntax that the sources use and raises an error for all other.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

COMMENT = re.compile(r"^[ \t]*/\*(?:(?!\*/).)*\*/[ \t]*\n", re.MULTILINE | re.DOTALL)
LINE_COMMENT = re.compile(r"^[ \t]*//.*\n", re.MULTILINE)
CAST = re.compile(r"/\*\* @type \{.*?\} \*/ ")
BLANK = re.compile(r"^[ \t]*\n", re.MULTILINE)
INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
ODD_QUOTES = re.compile(r"^[^`\n]*`(?:[^`\n]*`[^`\n]*`)*[^`\n]*$", re.MULTILINE)

CSS_IMPORT = re.compile(r'^@import "([\w.-]+)";\n', re.MULTILINE)
JS_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.\.?/[\w./]+\.js)";\n', re.MULTILINE)
JS_EXPORT = re.compile(r"^export (?=(?:const|class|function|async function) (\w+))", re.MULTILINE)
JS_NOT_UNDERSTOOD = re.compile(r"^\s*(?:import|export)\b.*|\bimport\s*[(.].*", re.MULTILINE)


class BundleError(ValueError):
    """A source has unsupported syntax."""


def bundle_styles(name: str, sources: Mapping[str, str]) -> str:
    """Replace each ``@import`` of a stylesheet by the imported text.

    >>> bundle_styles("site.css", {"site.css": '@import "a.css";\\n', "a.css": "a { top: 0 }\\n"})
    'a { top: 0 }\\n'
    """
    joined = CSS_IMPORT.sub(lambda match: _lookup(match[1], sources, name), sources[name])
    joined = _remove_comments(joined)
    if "@import" in joined:
        raise BundleError(f'{name}: an @import that is not a line of the form @import "name.css";')
    return joined


def bundle_scripts(entry: str, sources: Mapping[str, str]) -> str:
    """Bundle a module with its imports, each in its own scope.

    >>> print(bundle_scripts("b.js", {
    ...     "a.js": "export const one = 1;\\n",
    ...     "b.js": 'import { one as first } from "./a.js";\\nalert(first);\\n',
    ... }), end="")
    const $a = (() => {
    const one = 1;
    return { one };
    })();
    (() => {
    const { one: first } = $a;
    alert(first);
    })();
    """
    *needed, last = _order_modules(entry, sources)
    scopes = [f"const {_variable_name(name)} = {_wrap_module(name, sources)}" for name in needed]
    return "".join([*scopes, _wrap_module(last, sources)])


def list_imports(name: str, text: str) -> list[str]:
    """The paths of the modules that the module at the path ``name`` imports.

    >>> list_imports("hud/countdown.js", 'import { el } from "../lib/dom.js";\\n')
    ['lib/dom.js']
    """
    return [_resolve_path(name, match[2]) for match in JS_IMPORT.finditer(text)]


def _resolve_path(importer: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), path))


def _order_modules(entry: str, sources: Mapping[str, str]) -> list[str]:
    """The modules of the entry in the order of their imports, the entry last."""
    order: list[str] = []

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            raise BundleError(f"modules import each other: {' → '.join((*path, name))}")
        if name not in order:
            for needed in list_imports(name, _lookup(name, sources, path[-1] if path else entry)):
                visit(needed, (*path, name))
            order.append(name)

    visit(entry, ())
    return order


def _wrap_module(name: str, sources: Mapping[str, str]) -> str:
    text = INDENT.sub("", CAST.sub("", _remove_comments(sources[name])))
    if broken := ODD_QUOTES.search(text):
        raise BundleError(f"{name}: a text over several lines: {broken[0]}")
    exported = JS_EXPORT.findall(text)
    text = JS_IMPORT.sub(lambda match: _convert_import(match, name, sources), text)
    text = JS_EXPORT.sub("", text)
    if refused := JS_NOT_UNDERSTOOD.search(text):
        raise BundleError(f"{name}: {refused[0].strip()}")
    returned = f"return {{ {', '.join(exported)} }};\n" if exported else ""
    return f"(() => {{\n{text}{returned}}})();\n"


def _convert_import(match: re.Match[str], importer: str, sources: Mapping[str, str]) -> str:
    """Convert ``import { a, b as c } from "./d.js";``; ``$d`` has the exports of d.js."""
    path = _resolve_path(importer, match[2])
    exported = JS_EXPORT.findall(sources[path])
    names = [part.strip() for part in match[1].split(",") if part.strip()]
    for name in names:
        if name.split(" ")[0] not in exported:
            raise BundleError(f"{importer} imports {name} from {path}, which does not export it")
    return f"const {{ {', '.join(names).replace(' as ', ': ')} }} = {_variable_name(path)};\n"


def _variable_name(name: str) -> str:
    return f"${name.removesuffix('.js').replace('/', '_')}"


def _lookup(name: str, sources: Mapping[str, str], importer: str) -> str:
    if name not in sources:
        raise BundleError(f"{importer} imports {name}, which does not exist")
    return sources[name]


def _remove_comments(text: str) -> str:
    """Remove comments on their own lines, and empty lines."""
    return BLANK.sub("", LINE_COMMENT.sub("", COMMENT.sub("", text)))
