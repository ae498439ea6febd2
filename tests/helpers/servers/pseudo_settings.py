"""The site's settings for a server that speaks the language of ``tests/helpers/pseudo_locale.py``."""

from __future__ import annotations

import os

from blackjack_site.settings import *  # noqa: F403
from tests.helpers import pseudo_locale

LANGUAGE_CODE, LANGUAGES = pseudo_locale.LANGUAGE, pseudo_locale.LANGUAGES
LOCALE_PATHS = [os.environ.get("PSEUDO_LOCALE", "")]
