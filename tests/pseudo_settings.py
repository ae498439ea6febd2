"""The site's settings for a server that speaks the language of ``tests/pseudo.py``."""

from __future__ import annotations

import os

from blackjack_site.settings import *  # noqa: F403
from tests.pseudo import LANGUAGE

LANGUAGE_CODE = LANGUAGE
LOCALE_PATHS = [os.environ.get("PSEUDO_LOCALE", "")]
