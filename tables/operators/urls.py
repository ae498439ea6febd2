"""URLs of the operators' pages."""

from __future__ import annotations

from django.urls import URLPattern, path

from tables.operators.alerts import views as alerts_views
from tables.operators.audit_log import views as audit_log_views
from tables.operators.books import views
from tables.operators.doors import views as doors_views
from tables.operators.floor import action_views, announcement_views
from tables.operators.floor import views as floor_views
from tables.operators.players import (
    action_views as players_action_views,
)
from tables.operators.players import (
    views as players_views,
)
from tables.operators.players import (
    wallet_views,
)
from tables.operators.rounds import report_views
from tables.operators.rounds import views as rounds_views
from tables.operators.staff import invite_views, session_views
from tables.operators.staff import views as staff_views
from tables.operators.tables import rack_views
from tables.operators.tables import views as tables_views

urlpatterns: list[URLPattern] = [
    path("floor/", floor_views.floor, name="floor"),
    path("floor/now/", floor_views.floor_now, name="floor_now"),
    path("floor/announce/", announcement_views.announce, name="announce"),
    path("floor/announce/back/", announcement_views.take_back, name="take_back_announcement"),
    path("floor/maintenance/", announcement_views.maintenance, name="maintenance"),
    path("floor/maintenance/end/", announcement_views.end_maintenance, name="end_maintenance"),
    path("floor/tables/<int:table_id>/", floor_views.floor_table, name="floor_table"),
    path("floor/tables/<int:table_id>/now/", floor_views.floor_table_now, name="floor_table_now"),
    path("floor/tables/<int:table_id>/pause/", action_views.pause_table, name="pause_table"),
    path("floor/tables/<int:table_id>/resume/", action_views.resume_table, name="resume_table"),
    path("floor/tables/<int:table_id>/close/", action_views.close_table, name="close_table"),
    path(
        "floor/tables/<int:table_id>/announce/back/",
        action_views.take_back_at_table,
        name="take_back_table_announcement",
    ),
    path(
        "floor/tables/<int:table_id>/keep-open/",
        action_views.keep_table_open,
        name="keep_table_open",
    ),
    path(
        "floor/tables/<int:table_id>/announce/",
        action_views.announce_at_table,
        name="announce_table",
    ),
    path("floor/tables/<int:table_id>/unsay/", action_views.remove_chat_line, name="unsay"),
    path(
        "floor/tables/<int:table_id>/silence/",
        action_views.silence_at_table,
        name="silence_at_table",
    ),
    path("tables/list/", tables_views.all_tables, name="operator_tables"),
    path("tables/new/", tables_views.new_table, name="new_table"),
    path("tables/<int:table_id>/edit/", tables_views.edit_table, name="edit_table"),
    path(
        "tables/<int:table_id>/edit/back/", tables_views.take_back_change, name="take_back_change"
    ),
    path("tables/<int:table_id>/clone/", tables_views.clone_table, name="clone_table"),
    path("tables/<int:table_id>/fill/", rack_views.fill_rack, name="fill_rack"),
    path("tables/<int:table_id>/fill/back/", rack_views.return_rack_chips, name="bring_chips_back"),
    path("racks/", tables_views.racks, name="racks"),
    path("players/", players_views.players, name="players"),
    path("players/<int:user_id>/", players_views.player, name="player"),
    path("invites/", doors_views.sign_up_invites, name="sign_up_invites"),
    path(
        "invites/<int:invite_id>/withdraw/",
        doors_views.withdraw_sign_up_invite,
        name="withdraw_sign_up_invite",
    ),
    path("approvals/", doors_views.approval_list, name="approvals"),
    path("approvals/<int:user_id>/approve/", doors_views.approve, name="approve_user"),
    path("approvals/<int:user_id>/refuse/", doors_views.refuse, name="refuse_user"),
    path("bans/", doors_views.network_bans, name="bans"),
    path("bans/<int:ban_id>/lift/", doors_views.lift_ban, name="lift_ban"),
    path(
        "players/<int:user_id>/statement/", players_views.player_statement, name="player_statement"
    ),
    path("players/<int:user_id>/rounds/", players_views.player_rounds, name="player_rounds"),
    path("players/<int:user_id>/role/", staff_views.player_role, name="player_role"),
    path(
        "players/<int:user_id>/sessions/end/",
        session_views.end_all_sessions,
        name="end_all_sessions",
    ),
    path(
        "players/<int:user_id>/sessions/<int:session_id>/end/",
        session_views.end_session,
        name="end_session",
    ),
    path("staff/", staff_views.staff, name="staff"),
    path("staff/invite/", invite_views.invite_operator, name="invite_operator"),
    path(
        "staff/invites/<int:invite_id>/withdraw/",
        invite_views.withdraw_invite,
        name="withdraw_invite",
    ),
    path("staff/changes/<int:change_id>/", staff_views.decide_change, name="decide_change"),
    path("players/<int:user_id>/note/", players_action_views.note, name="player_note"),
    path("players/<int:user_id>/freeze/", players_action_views.freeze, name="player_freeze"),
    path("players/<int:user_id>/unfreeze/", players_action_views.unfreeze, name="player_unfreeze"),
    path("players/<int:user_id>/silence/", players_action_views.silence, name="player_silence"),
    path(
        "players/<int:user_id>/unsilence/", players_action_views.unsilence, name="player_unsilence"
    ),
    path("players/<int:user_id>/adjust/", wallet_views.adjust, name="player_adjust"),
    path(
        "players/<int:user_id>/reverse/<int:transfer_id>/",
        wallet_views.reverse,
        name="player_reverse",
    ),
    path("rounds/", rounds_views.rounds, name="rounds"),
    path("rounds/<int:round_id>/", rounds_views.round_, name="round"),
    path("rounds/<int:round_id>/void/", rounds_views.void_round, name="void_round"),
    path("voids/<int:void_id>/", rounds_views.decide_void, name="decide_void"),
    path("voids/<int:void_id>/withdraw/", rounds_views.withdraw_void, name="withdraw_void"),
    path("reports/", report_views.reports, name="reports"),
    path("reports/<int:report_id>/", report_views.report, name="report"),
    path("reports/<int:report_id>/answer/", report_views.answer_report, name="answer_report"),
    path("books/", views.takings, name="books"),
    path("books/takings.csv", views.takings_csv, name="books_csv"),
    path("books/accounts/", views.accounts, name="books_accounts"),
    path("books/audit/", views.audit, name="audit"),
    path("books/audit/run/", views.run_audit, name="run_audit"),
    path("books/audit/progress/", views.audit_progress, name="audit_progress"),
    path("alerts/", alerts_views.alerts, name="alerts"),
    path("alerts/count/", alerts_views.alert_count, name="alert_count"),
    path("alerts/<int:alert_id>/seen/", alerts_views.see_alert, name="see_alert"),
    path("alerts/test/email/", alerts_views.send_test_email, name="send_test_email"),
    path("alerts/test/webhook/", alerts_views.send_test_webhook, name="send_test_webhook"),
    path("alerts/secret/", alerts_views.renew_secret, name="renew_webhook_secret"),
    path("trail/", audit_log_views.audit_log_list, name="trail"),
]
