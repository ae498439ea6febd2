"""Who is answered what, at every address of the site but the operators' own pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tests.permissions.actors import AWAY, OPERATORS, PLAYERS

PAGE, LED, LOGIN, NONE, NO, NEVER = "page", "led", "login", "none", "no", "never"
"""A page; led on to another; asked to log in; told that there is nothing, or that it is not
allowed; an address that does not answer this method.
"""
GONE = "gone"
"""Told that there was something, and is no more."""


@dataclass(frozen=True)
class Row:
    """One thing that can be asked."""

    name: str
    """Of the address; or the address itself, with a slash in front."""
    answers: Mapping[str, str]
    """By role."""
    method: str = "GET"
    at: Mapping[str, str | int] = field(default_factory=dict)
    """What the address is about: ids by the name that the world has for them, or as they are."""
    data: Mapping[str, str] = field(default_factory=dict)
    changes: bool = False
    """Whether a GET that is answered may change something."""


def answers(players: str, away: str = LOGIN, **others: str) -> dict[str, str]:
    """The same for all who are logged in, and for all who are not; but for ``others``."""
    return dict.fromkeys(PLAYERS, players) | dict.fromkeys(AWAY, away) | others


EVERYBODY: Final = answers(PAGE, PAGE)
LOGGED_IN: Final = answers(PAGE)
DONE: Final = answers(LED)
NOBODY: Final = answers(NONE, NONE)
NOT_GUESTS: Final = answers(PAGE, guest=LED)


def at_private(what: str = PAGE, away: str = NONE, **others: str) -> dict[str, str]:
    """Who may see the private table, all others being told that there is none."""
    seen_by = ("watcher", "seated", "maker", "floor", "manager", "superuser")
    link = what if away == NONE else away
    return answers(NONE, away, link=link) | dict.fromkeys(seen_by, what) | others


def at_tables(name: str, **more: str) -> list[Row]:
    """A page about a table."""
    answers_by_table = {
        "public": EVERYBODY,
        "private": at_private(),
        "closed": NOBODY,
        "nothing": NOBODY,
    }
    changes = name == "table"  # who comes by an invite is let in for good
    return [
        Row(name, answers_by_table[which], at={"table_id": which, **more}, changes=changes)
        for which in answers_by_table
    ]


def at_rounds(name: str) -> list[Row]:
    """A page about a round, which those who played it keep when the table is gone."""
    answers_by_round = {
        "public_round": EVERYBODY,
        "private_round": at_private(),
        "closed_round": answers(NONE, NONE, seated=PAGE),
        "nothing": NOBODY,
    }
    return [
        Row(name, answers_by_round[which], at={"round_id": which}) for which in answers_by_round
    ]


def sitting(which: str, expected: Mapping[str, str]) -> Row:
    return Row("sit", expected, "POST", at={"table_id": which, "number": 9})


STAFF_INVITES: Final = [
    Row("staff-invite", NOBODY),
    Row("staff-invite", NOBODY, "POST"),
    Row("staff-invite-link", NOBODY, at={"token": "nothing"}),
]
"""Without a valid link, which tests/operators/test_staff_invites.py follows."""

TABLES: Final = [
    Row("lobby", EVERYBODY),
    Row("lobby-tables", EVERYBODY),
    Row("home", LOGGED_IN),
    Row("start-game", DONE),
    Row("start-game", DONE, "POST"),
    Row("join-by-code", answers(LED, LED)),
    Row("join-by-code", EVERYBODY, data={"code": "00000000"}),
    Row("join", answers(LED, PAGE), at={"code": "private_code"}, changes=True),
    Row("join", answers(GONE, GONE), at={"code": "closed_code"}),
    Row("join", NOBODY, at={"code": "no_code"}),
    Row("invite-qr", EVERYBODY, at={"code": "private_code"}),
    Row("new-table", LOGGED_IN),
    Row("new-table", LOGGED_IN, "POST"),
    Row("option-odds", LOGGED_IN),
    *at_tables("table"),
    *at_tables("television"),
    *at_tables("table-rules"),
    *(
        Row("table-settings", expected, method, at={"table_id": which})
        for method in ("GET", "POST")
        for which, expected in (
            ("public", answers(LED)),
            ("private", at_private(LED, away=LOGIN, maker=PAGE)),
            ("closed", answers(NONE)),
            ("nothing", answers(NONE)),
        )
    ),
    # Of tables with chips of their own; others have none.
    *(
        Row(name, NOBODY, at={"table_id": which})
        for name in ("settlement-sheet", "settlement-sheet-csv")
        for which in ("public", "private", "closed", "nothing")
    ),
    Row("sit", DONE, at={"table_id": "private", "number": 2}),
    sitting("public", DONE),
    sitting("private", at_private(LED, away=LOGIN)),
    sitting("closed", answers(NONE)),
    sitting("nothing", answers(NONE)),
    Row("leave-table", answers(LED, seated=PAGE), at={"table_id": "private"}),
    Row("leave-table", DONE, at={"table_id": "nothing"}),
    Row("leave-table", DONE, "POST", at={"table_id": "private"}),
    *(
        Row("unlist-table", DONE, method, at={"table_id": which})
        for method in ("GET", "POST")
        for which in ("private", "nothing")
    ),
    Row("match", NOBODY, at={"match_id": "nothing"}),
    Row("match-now", NOBODY, at={"match_id": "nothing"}),
    Row("match-invite", answers(NONE), at={"match_id": "nothing", "code": "no_code"}),
    *(
        row
        for name in ("match-again", "match-enter", "match-withdraw", "match-start")
        for row in (
            Row(name, DONE, at={"match_id": "nothing"}),
            Row(name, answers(NONE), "POST", at={"match_id": "nothing"}),
        )
    ),
    Row("rules-index", EVERYBODY),
    Row("rules", EVERYBODY, at={"key": "rules"}),
    Row("rules", NOBODY, at={"key": "no_code"}),
    Row("fairness", EVERYBODY),
    Row("practice", EVERYBODY),
    Row("practice-hand", EVERYBODY),
    Row("practice-progress", DONE),
    Row("practice-progress", answers(NONE), "POST"),
    Row("practice-values", EVERYBODY, data={"hand": "Ts 6h", "up": "9c"}),
]
RECORDS: Final = [
    *at_rounds("round"),
    *at_rounds("round-proof"),
    *(
        Row("round-costs", answers(NONE, NONE, seated=PAGE), at={"round_id": f"{which}_round"})
        for which in ("public", "private", "closed")
    ),
    Row("round-costs", NOBODY, at={"round_id": "nothing"}),
    Row("session-card", LOGGED_IN, at={"table_id": "private"}, data={"since": "1"}),
    Row("report-round", DONE, at={"round_id": "nothing"}),
    *(
        Row("report-round", answers(NONE, seated=LED), "POST", at={"round_id": f"{which}_round"})
        for which in ("public", "private", "closed")
    ),
    Row("report-round", answers(NONE), "POST", at={"round_id": "nothing"}),
    Row("figures", LOGGED_IN),
    Row("leaderboard", EVERYBODY),
    Row("skill-leaderboard", EVERYBODY),
    Row("history", LOGGED_IN),
    *(Row("history-file", LOGGED_IN, at={"kind": kind}) for kind in ("csv", "json")),
    Row("history-file", answers(NONE), at={"kind": "no_code"}),
    Row("reset-history", LOGGED_IN),
    Row("reset-history", LOGGED_IN, "POST"),
    Row("statement", LOGGED_IN),
    Row("statement-csv", LOGGED_IN),
    Row("rebuy", LOGGED_IN),
    *(
        Row(
            "rebuy-offer",
            at_private(away=LOGIN) if which == "private" else expected,
            at={"table_id": which},
        )
        for which, expected in (
            ("public", LOGGED_IN),
            ("private", LOGGED_IN),
            ("closed", answers(NONE)),
            ("nothing", answers(NONE)),
        )
    ),
    Row("rebuy", DONE, "POST"),
]
OWN: Final = [
    Row("account", LOGGED_IN),
    Row("change-name", DONE),
    Row("change-name", NOT_GUESTS, "POST"),
    Row("own-reports", LOGGED_IN),
    *(
        Row("report-at-table", expected, method, at={"table_id": which})
        for method in ("GET", "POST")
        for which, expected in (
            ("public", DONE),
            ("private", at_private(LED, away=LOGIN)),
            # Who was there may report somebody when the table is closed.
            ("closed", answers(NONE, seated=LED, maker=LED)),
            ("nothing", answers(NONE)),
        )
    ),
    Row("friends", LOGGED_IN),
    *(
        Row("people-here", expected, at={"table_id": which})
        for which, expected in (
            ("public", LOGGED_IN),
            ("private", at_private(away=LOGIN)),
            ("closed", answers(NONE)),
            ("nothing", answers(NONE)),
        )
    ),
    Row("friend-action", DONE, at={"action": "ask"}),
    *(
        Row("friend-action", DONE, "POST", at={"action": action}, data={"player": "none-such"})
        for action in (
            "ask",
            "accept",
            "decline",
            "withdraw",
            "end",
            "block",
            "unblock",
            "invite",
        )
    ),
    Row("friend-action", answers(NONE), "POST", at={"action": "none-such"}),
    Row("set-time", DONE),
    Row("set-time", DONE, "POST", data={"time_zone": "Europe/Berlin", "date_form": "iso"}),
    Row("change-colour", DONE),
    Row("change-colour", DONE, "POST", data={"colour": "teal"}),
    Row("calls", LOGGED_IN),
    Row("call-kinds", DONE),
    Row("call-kinds", LOGGED_IN, "POST"),
    Row("calls", answers(NONE), "POST"),
    Row("end-calls", DONE),
    Row("end-calls", LOGGED_IN, "POST"),
    Row("set-language", answers(LED, LED)),
    Row("set-language", answers(LED, LED), "POST", data={"language": "de"}),
    Row("set-listed", DONE),
    Row("set-listed", DONE, "POST"),
    Row("set-skill-listed", DONE),
    Row("set-skill-listed", DONE, "POST"),
    Row("end-sessions", DONE),
    Row("end-sessions", DONE, "POST"),
    Row("delete-account", LOGGED_IN),
    Row("delete-account", LOGGED_IN, "POST"),
    Row("own-limits", LOGGED_IN),
    Row("set-own-limit", DONE, at={"name": "loss"}),
    Row("set-own-limit", DONE, "POST", at={"name": "loss"}),
    Row("set-own-limit", answers(NONE), "POST", at={"name": "no_code"}),
]
FOR_AWAY: Final = answers(LED, PAGE)
"""Pages for who is not logged in."""
KEY: Final = {"uidb36": "1", "key": "none-such"}
COMING_AND_GOING: Final = [
    Row("account_login", FOR_AWAY),
    Row("account_login", FOR_AWAY, "POST"),
    Row("account_signup", FOR_AWAY),
    Row("account_signup", FOR_AWAY, "POST"),
    Row("account_logout", answers(PAGE, LED)),
    Row("account_logout", answers(LED, LED), "POST"),
    Row("account_inactive", EVERYBODY),
    Row("guest", answers(LED, LOGIN, frozen=LED)),
    Row("guest", answers(LED, LED), "POST"),
    Row("keep-account", answers(LED, guest=PAGE)),
    Row("keep-account", answers(LED, guest=PAGE), "POST"),
    Row("sign-up-invite", answers(LED, NONE, guest=NONE), at={"token": "nonsense"}),
    Row("waiting", DONE),
    Row("first-operator", NOBODY, at={"token": "nonsense"}),
    Row("first-operator", NOBODY, "POST", at={"token": "nonsense"}),
    Row("account_reauthenticate", answers(PAGE, guest=LED)),
    Row("account_reauthenticate", answers(PAGE, guest=LED), "POST"),
    # Guests have no second factor; who has just entered the password may change it.
    Row("mfa_index", NOT_GUESTS),
    Row("mfa_authenticate", answers(LED)),
    Row("mfa_authenticate", answers(LED), "POST"),
    Row("mfa_reauthenticate", answers(LED, superuser=PAGE, manager=PAGE)),
    Row("mfa_reauthenticate", answers(LED, superuser=PAGE, manager=PAGE), "POST"),
    Row("mfa_reauthenticate_webauthn", answers(LED)),
    Row("mfa_reauthenticate_webauthn", answers(LED), "POST"),
    Row("mfa_activate_totp", answers(PAGE, guest=LED, superuser=LED, manager=LED), changes=True),
    Row("mfa_activate_totp", answers(PAGE, guest=LED, superuser=LED, manager=LED), "POST"),
    Row("mfa_deactivate_totp", answers(NONE, guest=LED, superuser=PAGE, manager=PAGE)),
    Row("mfa_deactivate_totp", answers(NONE, guest=LED, superuser=LED, manager=LED), "POST"),
    Row(
        "mfa_view_recovery_codes",
        answers(NONE, guest=LED, superuser=PAGE, manager=PAGE),
        changes=True,
    ),
    Row("mfa_generate_recovery_codes", NOT_GUESTS),
    Row(
        "mfa_generate_recovery_codes", answers(PAGE, guest=LED, superuser=LED, manager=LED), "POST"
    ),
    Row("mfa_add_webauthn", NOT_GUESTS, changes=True),
    Row("mfa_add_webauthn", NOT_GUESTS, "POST"),
    Row("mfa_edit_webauthn", answers(NONE, guest=LED), at={"pk": "nothing"}),
    Row("mfa_edit_webauthn", answers(NONE, guest=LED), "POST", at={"pk": "nothing"}),
    Row("mfa_remove_webauthn", answers(NONE, guest=LED), at={"pk": "nothing"}),
    Row("mfa_remove_webauthn", answers(NONE, guest=LED), "POST", at={"pk": "nothing"}),
    Row("mfa_login_webauthn", answers(LED)),
    Row("mfa_login_webauthn", answers(LED), "POST"),
    Row("lead-on", answers(LED)),
    Row("ask-again", NOBODY, at={"token": "none-such"}),
    Row("account_email", NOT_GUESTS),
    Row("account_email", answers(LED), "POST"),
    Row("account_email_verification_sent", EVERYBODY),
    Row("account_confirm_email", EVERYBODY, at={"key": "none-such"}),
    Row("account_confirm_email", NOBODY, "POST", at={"key": "none-such"}),
    Row("account_confirm_login_code", answers(LED, LOGIN)),
    Row("account_confirm_login_code", answers(LED, LOGIN), "POST"),
    Row("account_change_password", NOT_GUESTS),
    Row("account_change_password", NOT_GUESTS, "POST"),
    Row("account_set_password", answers(LED)),
    Row("account_set_password", answers(LED), "POST"),
    Row("account_reset_password", EVERYBODY),
    Row("account_reset_password", EVERYBODY, "POST"),
    Row("account_reset_password_done", EVERYBODY),
    Row("account_reset_password_from_key_done", EVERYBODY),
    Row("account_reset_password_from_key", EVERYBODY, at=KEY),
    Row("account_reset_password_from_key", EVERYBODY, "POST", at=KEY),
]


def behind(page: str, **others: str) -> dict[str, str]:
    """What operators are answered behind the counter; others are asked to log in there."""
    return answers(LOGIN) | dict.fromkeys(OPERATORS, page) | others


COUNTER: Final = [
    Row(
        "admin:login",
        behind(LED) | dict.fromkeys(("outsider", "watcher", "seated", "maker", "guest"), NO),
    ),
    Row("admin:logout", EVERYBODY, "POST"),
    Row("admin:password_change", behind(LED)),
    Row("admin:password_change", behind(LED), "POST"),
    Row("admin:password_change_done", behind(LED)),
    Row("admin:jsi18n", behind(PAGE)),
    Row("admin:autocomplete", behind(NO)),
    Row("admin:app_list", behind(PAGE), at={"app_label": "tables_app"}),
    Row("admin:auth_user_password_change", behind(NO, superuser=PAGE), at={"id": "user"}),
    Row("admin:auth_user_password_change", behind(NO, superuser=PAGE), "POST", at={"id": "user"}),
    Row("admin:view_on_site", behind(NONE), at={"content_type_id": 0, "object_id": 0}),
    Row("/admin/nothing/", behind(NONE)),
    Row("/admin/nothing/", behind(NONE), "POST"),
]
MACHINES: Final = [
    Row("words", EVERYBODY, at={"version": "any"}),
    Row("manifest", EVERYBODY),
    Row("service-worker", EVERYBODY),
    Row("offline", EVERYBODY, at={"language": "en"}),
    Row("offline", NOBODY, at={"language": "none-such"}),
    Row("robots", EVERYBODY),
    Row("livez", EVERYBODY),
    Row("readyz", EVERYBODY),
    Row("metrics", EVERYBODY),
]
ROWS: Final = [*STAFF_INVITES, *TABLES, *RECORDS, *OWN, *COMING_AND_GOING, *COUNTER, *MACHINES]
