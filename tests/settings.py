"""The site's settings, with data of its own that goes away, and quick passwords."""

from __future__ import annotations

import os
import tempfile

os.environ["BLACKJACK_DATA"] = tempfile.mkdtemp(prefix="blackjack-tests-")

from blackjack_site.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
# Pages are rendered here without collected files; the real storage is used by real servers.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
STATIC_ROOT.mkdir()  # noqa: F405 - WhiteNoise looks for it
