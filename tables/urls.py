from __future__ import annotations

from allauth.account import views as allauth_views
from django.contrib import admin
from django.urls import path, re_path

from accounts.users.reauthentication import renew_session
from accounts.views import confirm_other_user, redirect_guests
from tables.views import (
    account,
    calls,
    history,
    home,
    invitations,
    limits,
    odds,
    practice,
    rounds,
    seats,
    sheets,
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
    path("tables/new/", invitations.new_table, name="new-table"),
    path("tables/new/odds/", odds.option_odds, name="option-odds"),
    path("tables/<int:table_id>/", tables.table, name="table"),
    path("tables/<int:table_id>/seats/<int:number>/", seats.sit, name="sit"),
    path("tables/<int:table_id>/leave/", home.leave_table, name="leave-table"),
    path("tables/<int:table_id>/unlist/", home.unlist_table, name="unlist-table"),
    path("tables/<int:table_id>/session/", stats.session_card, name="session-card"),
    path("tables/<int:table_id>/tv/", tables.television, name="television"),
    path("tables/<int:table_id>/sheet/", sheets.settlement_sheet, name="settlement-sheet"),
    path(
        "tables/<int:table_id>/sheet.csv", sheets.settlement_sheet_file, name="settlement-sheet-csv"
    ),
    path("tables/<int:table_id>/settings/", table_settings.table_settings, name="table-settings"),
    path("tables/<int:table_id>/rules/", tables.table_rules, name="table-rules"),
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
    path("rebuy/offer/", wallet.rebuy_offer, name="rebuy-offer"),
    path("account/", account.account, name="account"),
    path("account/name/", account.change_name, name="change-name"),
    path("account/listed/", account.set_listed, name="set-listed"),
    path("account/listed/skill/", account.set_skill_listed, name="set-skill-listed"),
    path("account/sessions/end/", account.end_sessions, name="end-sessions"),
    path("account/calls/", calls.calls_here, name="calls"),
    path("account/calls/end/", calls.end_calls, name="end-calls"),
    path("account/delete/", account.delete_account, name="delete-account"),
    path("account/limits/", limits.own_limits, name="own-limits"),
    path("account/limits/<slug:name>/", limits.set_own_limit, name="set-own-limit"),
    # Before the same URLs of ``accounts``: these also close the pages of the ended sessions.
    path("accounts/logout/", account.close_ended_pages(allauth_views.logout)),
    path(
        "accounts/reauthenticate/",
        account.close_ended_pages(renew_session(redirect_guests(allauth_views.reauthenticate))),
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
