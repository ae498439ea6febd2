"""The ``absolute`` filter: a path with the site's address before it."""

from __future__ import annotations

from django import template

from accounts.lib.site_links import absolute_url

register = template.Library()
register.filter("absolute", absolute_url)
