"""The addresses of the operators' own pages, below the admin site's."""

from __future__ import annotations

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
