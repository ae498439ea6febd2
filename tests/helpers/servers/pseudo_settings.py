"""The site's settings for a server that speaks the language of ``tests/helpers/pseudo_locale.py``."""

from __future__ import annotations

import os

from blackjack_site.settings import *  # noqa: F403
from tests.helpers.pseudo_locale import LANGUAGE

LANGUAGE_CODE = LANGUAGE
LOCALE_PATHS = [os.environ.get("PSEUDO_LOCALE", "")]
