from __future__ import annotations

from django.urls import path

from tables import invitations, views

urlpatterns = [
    path("", views.lobby, name="lobby"),
    path("lobby/tables/", views.lobby_tables, name="lobby-tables"),
    path("join/", invitations.join_by_code, name="join-by-code"),
    path("join/<slug:code>/", invitations.join, name="join"),
    path("tables/new/", invitations.new_table, name="new-table"),
    path("tables/<int:table_id>/", views.table, name="table"),
    path("tables/<int:table_id>/seats/<int:number>/", views.sit, name="sit"),
    path("tables/<int:table_id>/rules/", views.table_rules, name="table-rules"),
    path("rules/", views.rules_index, name="rules-index"),
    path("rules/<slug:key>/", views.rules, name="rules"),
    path("fairness/", views.fairness, name="fairness"),
    path("rounds/<int:round_id>/", views.round_page, name="round"),
    path("rounds/<int:round_id>/proof.json", views.round_proof, name="round-proof"),
    path("history/", views.history, name="history"),
]
