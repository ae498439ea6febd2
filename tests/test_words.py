"""Every text that people see can be translated, and its words lie in the catalogs."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils.functional import Promise
from pytest_django import Settings

from accounts import site_settings
from accounts.models import Account, Act, HouseSettings, OwnLimit, Transfer, User
from tables.engine.errors import ExplainedError
from tables.engine.events import Outcome
from tables.engine.options import OPTIONS
from tables.engine.presets import PRESETS
from tables.game import lifecycle
from tables.game.matches import duplicates
from tables.game.matches.opening import open_match
from tables.models import Match, PileGame, Result, Round, Table, Void
from tables.models.hands import encode_hands
from tables.protocol import codec
from tables.protocol.commands import Bet, Close, Hit, Say, Sit, StartMatch, TableCommand, TakeBack
from tables.protocol.frames import Err
from tables.social import chat
from tables.texts.refusals import translate_refusal
from tests.conftest import skip_or_fail
from tests.game.test_duplicates import new_duplicate, table_of
from tests.game.test_matches import play_by_the_clock
from tests.helpers import pseudo_locale
from tests.helpers.servers.process import ROOT
from tests.helpers.table_client import TableClient, new_player

DOMAINS = ("django", "djangojs")
COMPILED = shutil.ignore_patterns("__pycache__")
"""The other tests write these meanwhile."""
REFUSALS = {"RuleViolation", "OptionError", "FrameError"}


def catalog(domain: str) -> list[pseudo_locale.Message]:
    return pseudo_locale.read_catalog(pseudo_locale.CATALOGS / f"{domain}.po")


# The catalogs


def calls(*names: str) -> Iterator[tuple[str, ast.Call]]:
    """Where in ``tables`` one of these is called."""
    for path in sorted((ROOT / "tables").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in names:
                yield f"{path.name}:{node.lineno}", node


def test_every_sentence_of_a_refusal_is_in_the_catalog() -> None:
    """One that is put together with an f-string could not be found there."""
    ids = {message.id for message in catalog("django")}
    sentences = [(place, call.args[1]) for place, call in calls(*REFUSALS)]
    assert len(sentences) > 70
    for place, text in sentences:
        assert not isinstance(text, ast.JoinedStr | ast.BinOp), f"{place}: not a plain text"
        assert not isinstance(text, ast.Constant) or text.value in ids, f"{place}: {text.value}"
    for place, call in calls("Text"):
        assert all(isinstance(a, ast.Constant) and a.value in ids for a in call.args), place


def test_what_the_audit_finds_is_said_in_sentences_that_can_be_found() -> None:
    """An f-string could not be found, and a text without a call would stay as it is."""
    modules = [
        ROOT / "accounts/ledger/audit.py",
        *sorted((ROOT / "tables/audit").glob("[a-z]*.py")),
    ]
    assert len(modules) == 6
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Yield):
                assert not isinstance(node.value, ast.JoinedStr | ast.Constant), (
                    f"{path.name}:{node.lineno}"
                )


@pytest.mark.parametrize(
    "kind", [Account.Kind, Act.What, OwnLimit.Kind, Table.Phase, Transfer.Kind, Void.Status]
)
def test_what_is_chosen_from_is_translated(kind: Any) -> None:
    assert all(isinstance(one.label, Promise) for one in kind)


def test_the_settings_of_the_house_are_translated() -> None:
    fields = [field for field in HouseSettings._meta.get_fields() if field.help_text]
    assert len(fields) >= 8
    for field in fields:
        assert isinstance(field.verbose_name, Promise)
        assert isinstance(field.help_text, Promise)


def test_the_rule_sets_and_their_options_are_in_the_catalog() -> None:
    ids = {message.id for message in catalog("django")}
    for rules in PRESETS.values():
        assert {rules.title, rules.summary} <= ids, rules.key
    for option in OPTIONS.values():
        assert {option.label, option.help} <= ids | {""}, option.name


def test_the_catalogs_are_up_to_date(tmp_path: Path) -> None:
    """``make messages`` would change nothing in them."""
    if shutil.which("xgettext") is None:
        skip_or_fail("no xgettext here: apt-get install gettext")
    for folder in ("accounts", "blackjack_site", "locale", "static", "tables", "templates"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=COMPILED)
    shutil.copy(ROOT / "manage.py", tmp_path)
    environment = os.environ | {"BLACKJACK_DATA": str(tmp_path / "var")}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    for domain in DOMAINS:
        result = subprocess.run(
            [sys.executable, "manage.py", "makemessages", "--locale", "en", "--domain", domain],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        messages = pseudo_locale.read_catalog(tmp_path / f"locale/en/LC_MESSAGES/{domain}.po")
        assert sorted(messages) == sorted(catalog(domain)), f"run make messages ({domain})"


# The pages, in a language that nobody speaks


@pytest.fixture(scope="session")
def locale(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pseudo_locale.write_locale(tmp_path_factory.mktemp("locale"))


@pytest.fixture
def nobodys(locale: Path, settings: Settings) -> None:
    """The site speaks the language that nobody speaks."""
    settings.LANGUAGE_CODE = pseudo_locale.LANGUAGE
    settings.LANGUAGES = pseudo_locale.LANGUAGES
    settings.LOCALE_PATHS = [locale]
    site_settings.remember(HouseSettings(name="21"))


def opened(number: int, key: str, **options: Any) -> TableClient:
    """A table whose name has no words in it."""
    return TableClient(lifecycle.open_table(name=str(number), rules_key=key, **options).pk)


class Scene:
    """Tables, people and rounds, all named by figures: names are nobody's to translate."""

    def __init__(self, stack: Callable[..., None]) -> None:
        self.one, self.two = new_player("1"), new_player("2")
        self.guest = User.objects.create_user("3", is_guest=True)
        self.casino = opened(1, "casino")
        options = {"seats": 2, "max_hands": 2, "insurance": False, "hits_soft_17": True}
        own_table = opened(2, "vegas", host_id=self.one.pk, is_private=True, rules_options=options)
        self.own_table = own_table.row
        Table.objects.filter(pk=own_table.table_id).update(is_locked=True, watchers=2)
        for number, key in enumerate(PRESETS, start=3):
            opened(number, key)
        self.casino.sit(self.one, 1)
        self.casino.sit(self.two, 2)
        self.round = self._play(stack)

    def play_match(self) -> int:
        """A match that ended after a round, because a player left."""
        table = open_match(
            name="20",
            rules_key="casino",
            rules_options={},
            host_id=self.one.pk,
            rounds=5,
            stack=50_000,
        )
        at = TableClient(table.pk)
        at.sit(self.one, 1)
        at.sit(self.two, 2)
        at.send(self.one, StartMatch(uuid.uuid4()))
        play_by_the_clock(at)
        at.leave(self.two)
        assert table.match_id is not None
        return table.match_id

    def start_duplicate(self) -> int:
        """A duplicate match in which one player has finished by leaving."""
        match = new_duplicate(self.one)
        now = self.casino.now
        duplicates.enter(match.pk, self.two.pk, now)
        duplicates.start(match.pk, self.one.pk, now)
        at = table_of(match, self.two)
        play_by_the_clock(at)
        at.leave(self.two)
        Match.objects.filter(pk=match.pk).update(name="21")
        return match.pk

    def _play(self, stack: Callable[..., None]) -> Round:
        """A round that looks as if it had ended in every way at once."""
        stack("As Ts 9h Kd 7s 7c 5h")
        self.casino.bet(self.one, 1500)
        self.casino.bet(self.two, 1500)
        self.casino.act(self.two, "stand")
        played = Round.objects.get(finished_at__isnull=False)
        result = Result.objects.get(round=played, seat=1)
        hands = result.list_hands()
        hands += [
            replace(hands[0], cards="7s 7d", total=14, is_doubled=True, outcome=outcome.value,
                    stake=1000, payout=0, insurance_stake=500)
            for outcome in Outcome
        ]  # fmt: skip
        Result.objects.filter(pk=result.pk).update(hands=encode_hands(hands))
        PileGame.objects.create(
            round=played, user=self.one, player=30, house=20, discard=2, winner="player"
        )
        return played


@pytest.fixture
def scene(db: None, stack: Callable[..., None], nobodys: None) -> Scene:
    return Scene(stack)


PAGES = {
    "lobby": (None, "/"),
    "lobby of a player": ("one", "/"),
    "table": ("one", "/tables/{casino}/"),
    "table of one's own": ("one", "/tables/{made}/"),
    "table, watched": (None, "/tables/{casino}/"),
    **{f"table of {key}": ("one", f"/tables/{{{key}}}/") for key in PRESETS},
    "rules of a table": ("one", "/tables/{made}/rules/"),
    "rules": (None, "/rules/"),
    **{f"rules of {key}": (None, f"/rules/{key}/") for key in PRESETS},
    "fairness": (None, "/fairness/"),
    "new table": ("one", "/tables/new/"),
    "invited": (None, "/join/{code}/"),
    "wrong code": (None, "/join/?code=AAAA-AAAA"),
    "round": ("one", "/rounds/{round}/"),
    "round of others": (None, "/rounds/{round}/"),
    "match": ("one", "/matches/{match}/"),
    "duplicate match": ("one", "/matches/{match}/"),
    "history": ("one", "/history/"),
    "history, empty": ("guest", "/history/"),
    "history, no more": ("two", "/history/?before=1-1"),
    "history, filtered": ("one", "/history/?rules=pot"),
    "history, filtered by nothing": ("one", "/history/?table=0&outcome=x&from=x"),
    "emptying the history": ("one", "/history/reset/"),
    "statement": ("one", "/statement/"),
    "statement of a kind": ("one", "/statement/?kind=stake&from=2"),
    "play money": ("one", "/rebuy/"),
    "account": ("one", "/account/"),
    "account, guest": ("guest", "/account/"),
    "friends": ("one", "/friends/"),
    "friends, guest": ("guest", "/friends/"),
    "own limits": ("one", "/account/limits/"),
    "delete the account": ("one", "/account/delete/"),
    "nothing there": (None, "/nowhere/"),
    "log in": (None, "/accounts/login/"),
    "sign up": (None, "/accounts/signup/"),
    "log out": ("one", "/accounts/logout/"),
    "log out, guest": ("guest", "/accounts/logout/"),
    "save the account": ("guest", "/accounts/keep/"),
    "password change": ("one", "/accounts/password/change/"),
    "password reset": (None, "/accounts/password/reset/"),
    "password reset done": (None, "/accounts/password/reset/done/"),
    "e-mail": ("one", "/accounts/email/"),
}


@pytest.mark.parametrize("name", PAGES)
def test_every_text_of_a_page_is_translated(name: str, scene: Scene, client: Client) -> None:
    who, path = PAGES[name]
    if who:
        client.force_login(getattr(scene, who))
    tables = {table.rules_key: table.pk for table in Table.objects.order_by("pk")}
    places = {**tables, "casino": scene.casino.table_id, "made": scene.own_table.pk}
    places |= {"code": scene.own_table.code, "round": scene.round.pk}
    if "matches" in path:
        places["match"] = scene.play_match() if name == "match" else scene.start_duplicate()
    answer = client.get(path.format(**places), follow=True)
    page = answer.content.decode()
    assert answer.status_code == (404 if name == "nothing there" else 200)
    assert f'lang="{pseudo_locale.LANGUAGE}"' in page
    assert "⟦" in page
    assert pseudo_locale.bare_texts(page) == []


FORMS: dict[str, tuple[str | None, str, dict[str, Any]]] = {
    "log in": (None, "/accounts/login/", {"login": "1", "password": "2"}),
    "sign up": (None, "/accounts/signup/", {"username": "1", "password1": "2"}),
    "sign up, empty": (None, "/accounts/signup/", {}),
    "keep": ("guest", "/accounts/keep/", {"username": "1", "password1": "2"}),
    "another account": ("one", "/account/name/", {"username": "9 9"}),
    "own reminder": ("one", "/account/limits/reminder/", {"every": "other"}),
    "own daily loss": ("one", "/account/limits/loss/", {"amount": "-1"}),
    "own break": ("one", "/account/limits/break/", {"until": "2001-01-01"}),
    "delete the account": ("one", "/account/delete/", {"name": "9", "password": "9"}),
    "emptying the history": ("one", "/history/reset/", {"name": "2"}),
    "new table, empty": ("one", "/tables/new/", {}),
    "new table, a contradiction": (
        "one", "/tables/new/",
        {"name": "9", "rules_key": "piles", "seats": "2", "betting_seconds": 1, "turn_seconds": 9},
    ),
    "new table, out of bounds": (
        "one", "/tables/new/",
        {"name": "9", "rules_key": "vegas", "seats": "9", "betting_seconds": 9, "turn_seconds": 9},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_what_is_wrong_in_a_form_is_translated(name: str, scene: Scene, client: Client) -> None:
    who, path, filled = FORMS[name]
    cache.clear()  # what other tests of this process have tried counts against the limits
    if who:
        client.force_login(getattr(scene, who))
    page = client.post(path, filled, follow=True).content.decode()
    assert "has-errors" in page or "form-errors" in page
    assert pseudo_locale.bare_texts(page) == []


@pytest.mark.parametrize(
    "template", ["403.html", "403_csrf.html", "404.html", "429.html", "500.html"]
)
def test_pages_of_errors_are_translated(template: str, nobodys: None) -> None:
    from django.template.loader import render_to_string

    assert pseudo_locale.bare_texts(render_to_string(template)) == []


# Refusals


def refused(table: TableClient, user: User, command: TableCommand) -> str:
    answer = table.send(user, command).value
    assert isinstance(answer, Err), answer
    return answer.message


def test_the_house_refuses_in_the_language_of_the_site(scene: Scene) -> None:
    one, casino, own_table = scene.one, scene.casino, TableClient(scene.own_table.pk)
    new, turn = uuid.uuid4, casino.row.turn
    own_table.sit(one, 1)
    sentences = [
        refused(own_table, one, Bet(new(), own_table.row.turn, 100, "")),
        refused(own_table, one, Bet(new(), own_table.row.turn, 10_000_000, "")),
        refused(casino, one, TakeBack(new(), turn)),
        refused(casino, one, Hit(new(), turn)),
        refused(casino, one, Sit(new(), 9)),
        refused(casino, one, Close(new())),
        refused(own_table, scene.two, Close(new())),
        refused(own_table, scene.two, Sit(new(), 2)),
    ]
    assert sentences[0] == "⟦The minimum bet at this table is ⟧5."
    assert [rest for text in sentences if (rest := pseudo_locale.bare(text))] == []


def test_talk_is_refused_in_the_language_of_the_site(scene: Scene) -> None:
    say = Say(uuid.uuid4(), "")
    answer = chat.execute(scene.casino.table_id, scene.one.pk, say, scene.casino.now).value
    assert isinstance(answer, Err)
    assert answer.message.startswith("⟦A message has 1 to ⟧200")


def test_a_socket_refuses_in_the_language_of_the_site(nobodys: None) -> None:
    with pytest.raises(codec.FrameError) as unreadable:
        codec.decode_command("x" * 5000)
    assert translate_refusal(unreadable.value) == "⟦A message can have at most ⟧4096⟦ bytes.⟧"


def test_words_in_a_sentence_are_translated_too(nobodys: None) -> None:
    refusal = ExplainedError("%(title)s has no bets.", title=PRESETS["pot"].title)
    assert translate_refusal(refusal) == "⟦Pot⟧⟦ has no bets.⟧"
    assert refusal.message == "Pot has no bets."


# The words of the scripts


def test_english_needs_no_words_beside_the_scripts(client: Client, casino: TableClient) -> None:
    page = client.get(f"/tables/{casino.table_id}/").content.decode()
    assert page.count("<script ") == 2, "the table's own script, and its data"
    assert "jsi18n" not in page
    assert client.get("/jsi18n/en-0.js").content == b""


@pytest.mark.parametrize("path", ["/", "/tables/{casino}/", "/rounds/{round}/"])
def test_where_scripts_speak_their_words_come_before_them(
    path: str, scene: Scene, client: Client
) -> None:
    places = {"casino": scene.casino.table_id, "round": scene.round.pk}
    page = client.get(path.format(**places)).content.decode()
    words, own = re.findall(r'<script [^>]*src="([^"]*)"', page)
    assert own.startswith("/static/js/")
    served = client.get(words)
    assert "⟦Ten seconds left.⟧" in served.content.decode()
    assert served.headers["Content-Type"] == "text/javascript"
    assert "immutable" in served.headers["Cache-Control"]


def test_words_of_another_version_are_not_kept(nobodys: None, client: Client) -> None:
    served = client.get("/jsi18n/en-xa-0.js")
    assert "⟦Ten seconds left.⟧" in served.content.decode()
    assert served.headers["Cache-Control"] == "no-cache"


def test_scripts_ask_for_the_words_that_the_catalog_has() -> None:
    """By a plain text each time: xgettext finds no other."""
    ids = {message.id for message in catalog("djangojs")}
    for path in sorted((ROOT / "static/js").glob("*.js")):
        for argument in re.findall(r"(?<!function )\bn?gettext\(\s*(.*)", path.read_text()):
            text = re.match(r'"(?:[^"\\]|\\.)*"', argument)
            assert text, f"{path.name}: gettext({argument}"
            assert ast.literal_eval(text[0]) in ids, f"{path.name}: {text[0]}"


# The tests themselves


def test_a_bare_text_is_found() -> None:
    page = """<meta name="description" content="⟦This⟧ not">
    <p>⟦A ⟧<b>17</b>⟦ or ⟧more <i>⟦x⟧</i></p><input placeholder="Name"><code>abc</code>
    <span role="img" aria-label="Ace"><b>A</b></span>"""
    assert pseudo_locale.bare_texts(page) == ["not", "more", "Name", "Ace"]
