"""What collectstatic makes of the sources: one stylesheet, and one script for each page."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path

import brotli
import pytest

from blackjack_site.assets.bundler import BundleError, bundle_scripts, bundle_styles, list_imports
from tests.helpers.servers.process import Server

ROOT = Path(__file__).resolve().parent.parent
STYLES = {path.name: path.read_text() for path in (ROOT / "static/css").glob("*.css")}
FOLDER = ROOT / "static/js"
SCRIPTS = {str(path.relative_to(FOLDER)): path.read_text() for path in FOLDER.rglob("*.js")}
IMPORTED = {needed for name, text in SCRIPTS.items() for needed in list_imports(name, text)}


def collected(prepared: Path) -> dict[str, str]:
    """The files of the site: name → the hashed name that browsers ask for."""
    names: dict[str, str] = json.loads((prepared / "static/staticfiles.json").read_text())["paths"]
    return names


def test_every_stylesheet_is_in_one_that_pages_link() -> None:
    entries = ("site.css", "operators.css")
    lines = [line for name in entries for line in STYLES[name].splitlines() if "@import" in line]
    assert {line.split('"')[1] for line in lines} == STYLES.keys() - set(entries)


def test_the_site_has_two_stylesheets_and_a_script_for_each_page(prepared: Path) -> None:
    names = collected(prepared)
    scripts = {name.removeprefix("js/") for name in names if name.startswith("js/")}
    assert {name for name in names if name.startswith("css/")} == {
        "css/site.css", "css/operators.css",
    }  # fmt: skip
    assert {"table.js", "lobby.js"} <= scripts
    assert scripts == SCRIPTS.keys() - IMPORTED


def test_what_templates_link_is_a_file_of_the_site(prepared: Path) -> None:
    templates = [path.read_text() for path in (ROOT / "templates").rglob("*.html")]
    linked = {name for text in templates for name in re.findall(r"{% static '(.*?)' %}", text)}
    assert {"css/site.css", "js/table.js"} <= linked
    assert linked <= collected(prepared).keys()


@pytest.mark.parametrize("name", ["css/site.css", "js/table.js", "js/lobby.js"])
def test_what_browsers_get_is_whole_and_compressed(prepared: Path, name: str) -> None:
    path = prepared / "static" / collected(prepared)[name]
    lines = [line.split(" ")[0] for line in path.read_text().splitlines()]
    assert not {"@import", "import", "export"} & set(lines)
    for compressed in (".br", ".gz"):
        assert Path(f"{path}{compressed}").stat().st_size < path.stat().st_size / 2


def test_what_no_page_links_is_not_compressed(prepared: Path) -> None:
    names = collected(prepared)
    static = prepared / "static"
    jquery = names["admin/js/vendor/jquery/jquery.js"]
    for name in ("js/table.js", jquery):
        assert (static / name).exists()
        assert not (static / f"{name}.br").exists()


def test_a_later_start_compresses_only_what_is_not_whole(tmp_path: Path, prepared: Path) -> None:
    static = Path(shutil.copytree(prepared / "static", tmp_path / "static"))
    names = collected(prepared)
    whole, cut, lost = (names[name] for name in ("css/site.css", "js/table.js", "js/lobby.js"))
    mtime = (static / f"{whole}.br").stat().st_mtime_ns
    (static / f"{cut}.br").write_bytes((static / f"{cut}.br").read_bytes()[:1000])
    (static / f"{lost}.gz").unlink()
    again = Server(tmp_path).manage("collectstatic", "--noinput")
    assert again.returncode == 0, again.stderr
    assert (static / f"{whole}.br").stat().st_mtime_ns == mtime
    assert brotli.decompress((static / f"{cut}.br").read_bytes()) == (static / cut).read_bytes()
    assert gzip.decompress((static / f"{lost}.gz").read_bytes()) == (static / lost).read_bytes()


def test_the_admin_sites_files_are_left_as_they_are(prepared: Path) -> None:
    names = collected(prepared)
    forms = prepared / "static" / names["admin/css/forms.css"]
    assert f'@import url("{Path(names["admin/css/widgets.css"]).name}")' in forms.read_text()


def test_an_import_of_a_stylesheet_that_does_not_exist_is_refused() -> None:
    with pytest.raises(BundleError, match=r"site\.css imports lost\.css, which does not exist"):
        bundle_styles("site.css", {"site.css": '@import "lost.css";\n'})


@pytest.mark.parametrize(
    "line", ["@import 'a.css';", '@import url("a.css");', '@import "a.css" print;']
)
def test_an_import_in_another_form_is_refused(line: str) -> None:
    with pytest.raises(BundleError, match="form"):
        bundle_styles("site.css", {"site.css": f"{line}\n", "a.css": "a { top: 0 }\n"})


def test_a_stylesheet_that_imports_another_is_refused() -> None:
    sources = {"site.css": '@import "a.css";\n', "a.css": '@import "b.css";\n', "b.css": ""}
    with pytest.raises(BundleError, match="form"):
        bundle_styles("site.css", sources)


def test_modules_come_once_and_before_those_that_need_them() -> None:
    joined = bundle_scripts(
        "page.js",
        {
            "page.js": 'import { b } from "./b.js";\nimport { a } from "./a.js";\nb(a);\n',
            "b.js": 'import {\n  a,\n  c as d,\n} from "./a.js";\nexport function b() {}\n',
            "a.js": "/** Once. */\nexport const a = 1;\n// two\nexport class c {}\n",
            "other.js": "nobody asks for it\n",
        },
    )
    assert joined == (
        "const $a = (() => {\nconst a = 1;\nclass c {}\nreturn { a, c };\n})();\n"
        "const $b = (() => {\nconst { a, c: d } = $a;\nfunction b() {}\nreturn { b };\n})();\n"
        "(() => {\nconst { b } = $b;\nconst { a } = $a;\nb(a);\n})();\n"
    )


def test_indents_and_types_are_left_out() -> None:
    source = "const one = (x) =>\n  /** @type {{a: string}} */ (x) ?? `a  b`;\n"
    assert bundle_scripts("a.js", {"a.js": source}) == (
        "(() => {\nconst one = (x) =>\n(x) ?? `a  b`;\n})();\n"
    )


def test_a_text_over_several_lines_is_refused() -> None:
    with pytest.raises(BundleError, match=r"a\.js: a text over several lines: const a = `one"):
        bundle_scripts("a.js", {"a.js": "const a = `one\n  two`;\n"})


def test_modules_of_other_folders_are_found_by_their_paths() -> None:
    joined = bundle_scripts(
        "page.js",
        {
            "page.js": 'import { a } from "./hud/clock.js";\na();\n',
            "hud/clock.js": 'import { b } from "../lib/clock.js";\nexport const a = b;\n',
            "lib/clock.js": "export const b = 1;\n",
        },
    )
    assert joined == (
        "const $lib_clock = (() => {\nconst b = 1;\nreturn { b };\n})();\n"
        "const $hud_clock = (() => {\nconst { b } = $lib_clock;\nconst a = b;\nreturn { a };\n})();\n"
        "(() => {\nconst { a } = $hud_clock;\na();\n})();\n"
    )


def test_a_module_that_does_not_exist_is_refused() -> None:
    with pytest.raises(BundleError, match=r"a\.js imports lost\.js, which does not exist"):
        bundle_scripts("a.js", {"a.js": 'import { x } from "./lost.js";\n'})


def test_a_name_that_a_module_does_not_export_is_refused() -> None:
    sources = {"a.js": 'import { x } from "./b.js";\n', "b.js": "export const y = 1;\n"}
    with pytest.raises(BundleError, match=r"a\.js imports x from b\.js, which does not export it"):
        bundle_scripts("a.js", sources)


def test_modules_that_import_each_other_are_refused() -> None:
    sources = {"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'}
    with pytest.raises(BundleError, match=r"each other: a\.js → b\.js → a\.js"):
        bundle_scripts("a.js", sources)


@pytest.mark.parametrize(
    "line",
    [
        'import "./b.js";',
        'import b from "./b.js";',
        'import * as b from "./b.js";',
        'import { b } from "https://elsewhere.example/b.js";',
        'const b = await import("./b.js");',
        "export default 1;",
        "export let a = 1;",
        "export { a };",
        'export { b } from "./b.js";',
        "const where = import.meta.url;",
    ],
)
def test_what_joining_does_not_understand_is_refused(line: str) -> None:
    with pytest.raises(BundleError, match=r"a\.js"):
        bundle_scripts("a.js", {"a.js": f"{line}\n", "b.js": "export const b = 1;\n"})
