from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.views.generic import TemplateView

from accounts.users.first_operator import first_operator
from blackjack_site.assets import manifest, service_worker
from blackjack_site.monitoring import health, metrics_view
from tables.texts import js_catalog

ROBOTS = TemplateView.as_view(template_name="robots.txt", content_type="text/plain")

urlpatterns = [
    path("", include("tables.urls")),
    path("accounts/", include("accounts.urls")),
    path("accounts/", include("allauth.account.urls")),
    path("admin/", admin.site.urls),
    path("first/<str:token>/", first_operator, name="first-operator"),
    path("jsi18n/<slug:version>.js", js_catalog.serve_catalog, name="words"),
    path("manifest.webmanifest", manifest.serve_manifest, name="manifest"),
    path("service-worker.js", service_worker.serve_worker, name="service-worker"),
    path("offline/<slug:language>/", service_worker.serve_offline_page, name="offline"),
    path("robots.txt", ROBOTS, name="robots"),
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics_view.metrics, name="metrics"),
]

# Replaced by the operators' pages.
handler400 = "tables.operators.error_pages.bad_request"
handler403 = "tables.operators.error_pages.permission_denied"
handler404 = "tables.operators.error_pages.not_found"
handler429 = "accounts.http.too_many_requests"
handler500 = "tables.operators.error_pages.server_error"
