from __future__ import annotations

from allauth.account import views as allauth_views
from django.contrib import admin
from django.urls import path, re_path

from accounts.urls import asks_for_factor
from accounts.users.reauthentication import renew_session
from accounts.users.second_factor import views as factor_views
from accounts.views import confirm_other_user, keep, redirect_guests
from tables.views import (
    account,
    calls,
    friends,
    history,
    home,
    invitations,
    limits,
    matches,
    odds,
    practice,
    reports,
    rounds,
    seats,
    sheets,
    staff_invites,
    stats,
    table_settings,
    tables,
    wallet,
)

urlpatterns = [
    path("", tables.lobby, name="lobby"),
    path("home/", home.home_page, name="home"),
    path("home/start/", home.start_game, name="start-game"),
    path("lobby/tables/", tables.lobby_tables, name="lobby-tables"),
    path("join/", invitations.join_by_code, name="join-by-code"),
    path("join/<slug:code>/", invitations.join, name="join"),
    path("join/<slug:code>/qr.svg", invitations.invite_qr, name="invite-qr"),
    path("staff/", staff_invites.staff_invite, name="staff-invite"),
    path("staff/<str:token>/", staff_invites.follow_link, name="staff-invite-link"),
    path("tables/new/", invitations.new_table, name="new-table"),
    path("tables/new/odds/", odds.option_odds, name="option-odds"),
    path("tables/<int:table_id>/", tables.table, name="table"),
    path("tables/<int:table_id>/seats/<int:number>/", seats.sit, name="sit"),
    path("tables/<int:table_id>/people/", friends.people_here, name="people-here"),
    path("tables/<int:table_id>/report/", reports.report_at_table, name="report-at-table"),
    path("tables/<int:table_id>/leave/", home.leave_table, name="leave-table"),
    path("tables/<int:table_id>/unlist/", home.unlist_table, name="unlist-table"),
    path("tables/<int:table_id>/session/", stats.session_card, name="session-card"),
    path("tables/<int:table_id>/rebuy/", wallet.rebuy_offer, name="rebuy-offer"),
    path("tables/<int:table_id>/tv/", tables.television, name="television"),
    path("tables/<int:table_id>/sheet/", sheets.settlement_sheet, name="settlement-sheet"),
    path(
        "tables/<int:table_id>/sheet.csv", sheets.settlement_sheet_file, name="settlement-sheet-csv"
    ),
    path("tables/<int:table_id>/settings/", table_settings.table_settings, name="table-settings"),
    path("tables/<int:table_id>/rules/", tables.table_rules, name="table-rules"),
    path("matches/<int:match_id>/", matches.match_page, name="match"),
    path("matches/<int:match_id>/now/", matches.match_now, name="match-now"),
    path("matches/<int:match_id>/again/", matches.again, name="match-again"),
    path("matches/<int:match_id>/enter/", matches.enter, name="match-enter"),
    path("matches/<int:match_id>/withdraw/", matches.withdraw, name="match-withdraw"),
    path("matches/<int:match_id>/start/", matches.start, name="match-start"),
    path("matches/<int:match_id>/<slug:code>/", matches.match_invite, name="match-invite"),
    path("rules/", tables.rules_index, name="rules-index"),
    path("rules/<slug:key>/", tables.rules, name="rules"),
    path("fairness/", tables.fairness, name="fairness"),
    path("practice/", practice.practice_page, name="practice"),
    path("practice/hand/", practice.hand, name="practice-hand"),
    path("practice/values/", practice.values, name="practice-values"),
    path("practice/progress/", practice.progress, name="practice-progress"),
    path("rounds/<int:round_id>/", rounds.round_page, name="round"),
    path("rounds/<int:round_id>/costs/", rounds.round_costs, name="round-costs"),
    path("rounds/<int:round_id>/report/", rounds.report_round, name="report-round"),
    path("rounds/<int:round_id>/proof.json", rounds.round_proof, name="round-proof"),
    path("figures/", stats.figures, name="figures"),
    path("leaderboard/", stats.leaders, name="leaderboard"),
    path("leaderboard/skill/", stats.skill_leaders, name="skill-leaderboard"),
    path("history/", history.history, name="history"),
    path("history/rounds.<slug:kind>", history.history_file, name="history-file"),
    path("history/reset/", history.reset_history, name="reset-history"),
    path("statement/", wallet.statement, name="statement"),
    path("statement.csv", wallet.statement_as_csv, name="statement-csv"),
    path("rebuy/", wallet.rebuy, name="rebuy"),
    path("friends/", friends.friends_page, name="friends"),
    path("friends/<slug:action>/", friends.act, name="friend-action"),
    path("account/", account.account, name="account"),
    path("account/name/", account.change_name, name="change-name"),
    path("account/colour/", account.change_colour, name="change-colour"),
    path("account/time/", account.set_time, name="set-time"),
    path("account/listed/", account.set_listed, name="set-listed"),
    path("account/listed/skill/", account.set_skill_listed, name="set-skill-listed"),
    path("account/sessions/end/", account.end_sessions, name="end-sessions"),
    path("account/calls/", calls.calls_here, name="calls"),
    path("account/calls/kinds/", calls.choose_calls, name="call-kinds"),
    path("account/calls/end/", calls.end_calls, name="end-calls"),
    path("account/reports/", reports.own_reports, name="own-reports"),
    path("account/delete/", account.delete_account, name="delete-account"),
    path("account/limits/", limits.own_limits, name="own-limits"),
    path("account/limits/<slug:name>/", limits.set_own_limit, name="set-own-limit"),
    # Before the same URLs of ``accounts``: these also close the pages of the ended sessions.
    path("accounts/keep/", account.leave_seats_first(keep)),
    path("accounts/logout/", account.close_ended_pages(allauth_views.logout)),
    path(
        "accounts/reauthenticate/",
        account.close_ended_pages(renew_session(redirect_guests(allauth_views.reauthenticate))),
    ),
    path(
        "accounts/2fa/confirm/",
        account.close_ended_pages(
            renew_session(redirect_guests(asks_for_factor(factor_views.reauthenticate)))
        ),
        name="mfa_reauthenticate",
    ),
    path(
        "accounts/2fa/passkeys/confirm/",
        account.close_ended_pages(
            renew_session(redirect_guests(asks_for_factor(factor_views.confirm_passkey)))
        ),
        name="mfa_reauthenticate_webauthn",
    ),
    path("admin/logout/", account.close_ended_pages(admin.site.logout)),
    path(
        "accounts/password/change/",
        account.close_ended_pages(redirect_guests(allauth_views.password_change)),
    ),
    path(
        "accounts/password/set/",
        account.close_ended_pages(redirect_guests(allauth_views.password_set)),
    ),
    re_path(
        r"^accounts/password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        account.close_owner_pages(confirm_other_user(allauth_views.password_reset_from_key)),
    ),
]
