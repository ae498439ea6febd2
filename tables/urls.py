from __future__ import annotations

from django.urls import path

from tables import views

urlpatterns = [
    path("", views.lobby, name="lobby"),
    path("lobby/tables/", views.lobby_tables, name="lobby-tables"),
    path("tables/<int:table_id>/", views.table, name="table"),
    path("tables/<int:table_id>/seats/<int:number>/", views.sit, name="sit"),
    path("history/", views.history, name="history"),
]
