from __future__ import annotations

from django.urls import path

from tables.views import history, home, invitations, rounds, tables

urlpatterns = [
    path("", tables.lobby, name="lobby"),
    path("home/", home.home_page, name="home"),
    path("lobby/tables/", tables.lobby_tables, name="lobby-tables"),
    path("join/", invitations.join_by_code, name="join-by-code"),
    path("join/<slug:code>/", invitations.join, name="join"),
    path("tables/new/", invitations.new_table, name="new-table"),
    path("tables/<int:table_id>/", tables.table, name="table"),
    path("tables/<int:table_id>/seats/<int:number>/", tables.sit, name="sit"),
    path("tables/<int:table_id>/leave/", home.leave_table, name="leave-table"),
    path("tables/<int:table_id>/rules/", tables.table_rules, name="table-rules"),
    path("rules/", tables.rules_index, name="rules-index"),
    path("rules/<slug:key>/", tables.rules, name="rules"),
    path("fairness/", tables.fairness, name="fairness"),
    path("rounds/<int:round_id>/", rounds.round_page, name="round"),
    path("rounds/<int:round_id>/proof.json", rounds.round_proof, name="round-proof"),
    path("history/", history.history, name="history"),
]
