"""What is refused on purpose is a line of the log without a traceback: that is for mistakes."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.test import Client
from django.urls import path
from structlog.stdlib import ProcessorFormatter

from accounts.models import User
from blackjack_site import urls

pytestmark = pytest.mark.django_db

REFUSALS = [PermissionDenied, Http404, BadRequest, SuspiciousOperation, MultiPartParserError]


def raising(error: type[Exception]) -> Callable[[HttpRequest], HttpResponse]:
    def view(request: HttpRequest) -> HttpResponse:
        raise error("as it is meant")

    return view


urlpatterns = [
    *(path(f"raises/{error.__name__}", raising(error)) for error in REFUSALS),
    path("raises/mistake", raising(ZeroDivisionError)),
    *urls.urlpatterns,
]
handler403, handler404, handler500 = urls.handler403, urls.handler404, urls.handler500


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What the site writes."""
    (handler,) = [
        one for one in logging.getLogger().handlers if isinstance(one.formatter, ProcessorFormatter)
    ]
    assert isinstance(handler, logging.StreamHandler)
    before = handler.setStream(written := io.StringIO())
    yield written
    handler.setStream(before)


def logged(
    client: Client, log: io.StringIO, method: str, at: str, **options: Any
) -> tuple[int, str]:
    """The status, and what the log says of it."""
    client.raise_request_exception = False
    log.truncate(0)
    return getattr(client, method)(at, **options).status_code, log.getvalue()


@pytest.mark.urls(__name__)
@pytest.mark.parametrize("error", REFUSALS)
def test_case_50_no_refusal_leaves_a_traceback(
    error: type[Exception], client: Client, log: io.StringIO
) -> None:
    status, output = logged(client, log, "get", f"/raises/{error.__name__}")
    assert 400 <= status < 500
    assert f"/raises/{error.__name__}" in output or "as it is meant" in output
    assert "Traceback" not in output


def test_case_50_no_refusal_of_a_page_does(client: Client, log: io.StringIO, ann: User) -> None:
    client.force_login(ann)
    strict = Client(enforce_csrf_checks=True)
    operator = Client()
    operator.force_login(User.objects.create_user("op", is_staff=True))
    requests: list[tuple[Client, str, str, dict[str, Any], int]] = [
        (operator, "get", "/admin/racks/", {}, 403),
        (operator, "get", "/admin/tables/round/", {}, 403),
        (client, "get", "/nothing/", {}, 404),
        (client, "get", "/tables/424242/", {}, 404),
        (client, "post", "/figures/", {}, 405),
        (client, "put", "/", {}, 405),
        (client, "get", "/", {"headers": {"host": "evil.example"}}, 400),
        (strict, "post", "/accounts/login/", {}, 403),
        (client, "post", "/account/name/",
         {"data": b"x", "content_type": "multipart/form-data; boundary="}, 400),
        (client, "post", "/account/name/", {"data": {str(n): "x" for n in range(2000)}}, 400),
    ]  # fmt: skip
    for browser, method, at, options, expected in requests:
        status, output = logged(browser, log, method, at, **options)
        assert status == expected, (method, at)
        assert "Traceback" not in output, (method, at)


@pytest.mark.urls(__name__)
def test_a_mistake_of_ours_still_does(client: Client, log: io.StringIO) -> None:
    status, output = logged(client, log, "get", "/raises/mistake")
    assert status == 500
    assert "ZeroDivisionError: as it is meant" in output
