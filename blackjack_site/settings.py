"""Settings. Values that differ between installations come from environment variables.

docs/operations.md lists the variables. Without any of them the site runs on this machine alone:
SQLite, one process, addresses of this machine only.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from blackjack_site.conf.environment import Environment
from blackjack_site.conf.logging import LOG_FORMATS, LOG_LEVELS, configure_logs
from blackjack_site.conf.secret_key import read_or_make_secret_key
from blackjack_site.conf.vapid_key import read_or_make_vapid_key

env = Environment()
BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = env.folder("BLACKJACK_DATA", default=BASE_DIR / "var")
"""The folder of the data outside git: the database and the secret key."""

DEBUG = env.flag("DEBUG")
SECRET_KEY = env.secret("SECRET_KEY") or read_or_make_secret_key(DATA_DIR)
VAPID_KEY = env.vapid_key("VAPID_KEY") or read_or_make_vapid_key(DATA_DIR)
"""Signs push messages. All processes of a site need the same one."""

# Address. SITE_URL is the public address, such as https://cards.example. All links are built from
# it, and none from the Host header (accounts/lib/site_links.py).

PORT = env.number("PORT", default=8000, least=1, most=65535)
SITE_URL = env.origin("SITE_URL")
LOCAL_NAMES = ["localhost", "127.0.0.1", "[::1]"]
SITE_ORIGINS = [SITE_URL] if SITE_URL else [f"http://{name}:{PORT}" for name in LOCAL_NAMES]
"""The only origins whose pages may open a socket: scheme, host and port."""
ALLOWED_HOSTS = [urlsplit(SITE_URL).hostname or ""] if SITE_URL else LOCAL_NAMES
CSRF_TRUSTED_ORIGINS = SITE_ORIGINS
IS_HTTPS = SITE_URL.startswith("https://")

INSTALLED_APPS = [
    "tables.operators.apps.OperatorAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "csp",
    "accounts.apps.AccountsConfig",
    "tables.apps.TablesConfig",
]

MIDDLEWARE = [
    "blackjack_site.http.local_requests.allow_any_host_for_probes",
    "blackjack_site.http.site_host.use_site_host",
    "django.middleware.security.SecurityMiddleware",
    # Before static files, which need these headers too.
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "accounts.middleware.speak_language_of_browser",
    "blackjack_site.http.response_headers.security_headers",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # Safe from BREACH: tokens are masked in each page, requests of other sites have no cookies
    # (SameSite), and Django adds a random number of bytes.
    "django.middleware.gzip.GZipMiddleware",
    "accounts.middleware.keep_newer_session",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.middleware.end_staff_sessions",
    "accounts.middleware.speak_language_of_account",
    "accounts.middleware.refuse_banned",
    "django.contrib.messages.middleware.MessageMiddleware",
    "accounts.middleware.hold_unapproved",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.middleware.track_sessions",
    "accounts.middleware.use_viewers_zone",
    "accounts.middleware.warn_logged_out",
    "accounts.users.lost_forms.keep_lost_forms",
    "tables.social.seat_requests.forget_unused",
]

ROOT_URLCONF = "blackjack_site.urls"
ASGI_APPLICATION = "blackjack_site.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "accounts.context_processors.wallet",
                "accounts.context_processors.return_link",
                "accounts.context_processors.frozen",
                "accounts.context_processors.languages",
                "accounts.context_processors.site",
                "tables.context_processors.bell",
            ],
            # Their filter "date" replaces Django's on every page.
            "builtins": ["tables.templatetags.times"],
        },
    },
]

# Database. ATOMIC_REQUESTS is off: the site opens its own short transactions.

# Each request opens and closes a connection; the writer thread keeps one.

DATABASE_POOL = env.number("DATABASE_POOL", default=8, least=2, most=1000)
DATABASE = env.database("DATABASE_URL", default=DATA_DIR / "db.sqlite3")
DATABASE["CONN_MAX_AGE"] = 0
if DATABASE["ENGINE"] == "django.db.backends.sqlite3":
    SQLITE_SYNCHRONOUS = env.one_of("SQLITE_SYNCHRONOUS", among=("NORMAL", "FULL", "EXTRA"))
    DATABASE["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={SQLITE_SYNCHRONOUS};"
        " PRAGMA wal_autocheckpoint=20000;",  # 80 MB; see tables/lib/database/wal_checkpoints.py
    }
    DATABASE["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
else:
    # The server may have dropped a connection of the pool: it is checked before each use.
    DATABASE["CONN_HEALTH_CHECKS"] = True
    DATABASE["OPTIONS"] = {
        # A server that is cut off without a word is noticed after five seconds, where Linux lets us; the
        # system alone would wait a quarter of an hour. DATABASE_URL may have other values.
        "tcp_user_timeout": 5000,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 2,
        **DATABASE.get("OPTIONS", {}),
        "connect_timeout": 5,
        # The writer thread keeps one of them. ``timeout``: how long a page waits for one.
        "pool": {
            "min_size": 1,
            "max_size": DATABASE_POOL,
            "timeout": 5,
        },
        "options": "-c lock_timeout=3000 -c statement_timeout=5000"
        " -c idle_in_transaction_session_timeout=10000",
    }
DATABASES = {"default": DATABASE}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Several processes exchange messages through Redis; one process does not need it.

REDIS_URL = env.redis("REDIS_URL")
CACHES = {
    "default": {
        "BACKEND": "blackjack_site.conf.cache.RedisCacheWithLocalFallback",
        "LOCATION": REDIS_URL,
    }
    if REDIS_URL
    else {"BACKEND": "blackjack_site.conf.local_cache.LocalCache"}
}

# Accounts. An e-mail address is optional, for a forgotten password.

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
] + [{"NAME": "accounts.users.passwords.VisibleCharacterValidator"}]
ACCOUNT_FORMS = {
    "add_email": "accounts.users.signup_forms.AddressForm",
    "login": "accounts.users.signup_forms.LoginForm",
    "signup": "accounts.users.signup_forms.SignupForm",
    "reset_password": "accounts.users.signup_forms.ResetForm",
    "change_password": "accounts.users.signup_forms.PasswordForm",
}
ACCOUNT_ADAPTER = "accounts.users.allauth_adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*"]
"""The password once: the button beside it shows what was typed."""
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_PREVENT_ENUMERATION = "strict"
"""Pages do not show whether an address has an account; it belongs to the one that confirms it."""
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
# Seconds for which a re-entered password or second factor is valid, and on operators' pages.
ACCOUNT_REAUTHENTICATION_TIMEOUT, OPERATOR_REAUTHENTICATION_TIMEOUT = 5 * 60, 30 * 60
MFA_ADAPTER = "accounts.users.second_factor.adapter.MFAAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_ALLOW_UNVERIFIED_EMAIL = True  # an address is optional, and belongs to who confirms it
MFA_RATE_LIMITS = {"webauthn_login": "60/m/ip"}
"""A passkey cannot be guessed; a party behind one router logs in at once."""
MFA_FORMS = {
    "authenticate": "accounts.users.second_factor.forms.LoginCodeForm",
    "authenticate_webauthn": "accounts.users.second_factor.forms.LoginPasskeyForm",
    "login_webauthn": "accounts.users.second_factor.forms.PasswordlessForm",
    "reauthenticate": "accounts.users.second_factor.forms.CodeForm",
    "reauthenticate_webauthn": "accounts.users.second_factor.forms.PasskeyForm",
    "activate_totp": "accounts.users.second_factor.forms.AppForm",
    "add_webauthn": "accounts.users.second_factor.forms.AddPasskeyForm",
    "edit_webauthn": "accounts.users.second_factor.forms.RenamePasskeyForm",
}
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False
GUESTS_PER_ADDRESS = env.rates("GUESTS_PER_ADDRESS", default="30/h")
"""The limit of new guests per address, which a party behind one router shares; several limits are
separated by commas."""
SOCKETS_PER_ADDRESS = env.number("SOCKETS_PER_ADDRESS", default=100, least=1, most=100_000)
"""The limit of sockets per address in one process; this machine itself has none."""
SEATS_PER_ADDRESS = env.number("SEATS_PER_ADDRESS", default=3, least=1, most=1_000)
"""The limit of seats per address at the site's own tables; this machine has none."""
IDLE_SEAT_SECONDS = env.number("IDLE_SEAT_SECONDS", default=180, least=30, most=86_400)
"""The time without a bet after which a seat at a public table is freed."""
TABLES_PER_HOUR = env.number("TABLES_PER_HOUR", default=10, least=1, most=1_000)
"""The limit of tables that one player opens within an hour."""
SOCKETS_WITHOUT_LOGIN = env.number("SOCKETS_WITHOUT_LOGIN", default=1000, least=1, most=100_000)
"""The limit of sockets of all visitors without a login in one process."""
ACCOUNT_RATE_LIMITS = {
    # Without a suffix: per address. "key" is name and address for wrong passwords, the e-mail
    # address for forgotten ones.
    "login_failed": "10/15m/key,10/m,60/h",
    "signup": "20/m,200/h",
    # Entries about failures in the audit log: of an account and an address, and of an account.
    "failure_recorded": "1/m/key",
    "failures_recorded": "60/h/key",
    "reset_password": "20/m",
    # E-mails of all kinds: limits for the requester (address and player) and for the recipient.
    "letters_asked": "5/15m",
    "letters_of_user": "5/15m/user",
    "letters": "5/15m/key",
    "notice": "5/15m/key",
    "confirm_email": None,
    "guest": GUESTS_PER_ADDRESS,
    "wrong_code": "20/10m",
    "passkey_challenge": "60/m",
    "change_name": "5/h/user",
    "try_name": "60/h/user",
    "set_language": "60/h/user",
    "own_limits": "60/h/user",
    "end_sessions": "10/m/user",
    "delete_account": "5/5m/user",
    "rebuy": "10/h/user,60/h",
    "report_round": "20/h/user",
    "report_person": "10/h/user,30/h",
    "download": "20/h/user",
    "calls": "30/h/user",
    "call_kinds": "60/h/user",
    "change_colour": "30/h/user",
    "set_time": "60/h/user",
    "ask_friend": "20/h/user",
    "invite_by_name": "40/h/user",
    "friends": "120/h/user",
    "table_settings": "60/h/user",
    "option_odds": "60/m/user,240/h/user",
    # A hand and its values are two requests; somebody fast answers a hand a second.
    "practice": "240/m",
    "practice_progress": "90/m/user",
}
USERSESSIONS_TRACK_ACTIVITY = False
"""allauth would write at every request; accounts/users/sessions.py does it periodically."""
ALLAUTH_TRUSTED_PROXY_COUNT = env.number("TRUSTED_PROXIES", default=0, least=0, most=10)
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_SIGNUP_REDIRECT_URL = "lobby"  # a new user has nothing on the home page
ACCOUNT_LOGOUT_REDIRECT_URL = "lobby"

globals().update(env.mail("EMAIL_URL"))
MAIL_QUEUE_BACKEND = globals()["EMAIL_BACKEND"]
EMAIL_BACKEND = "accounts.mail.queue.QueueBackend"
"""Queues e-mails for a thread, which sends them by ``MAIL_QUEUE_BACKEND``."""
EMAIL_TIMEOUT = 10  # seconds to wait for the mail server
WEBHOOK_PRIVATE = env.flag("WEBHOOK_PRIVATE")
"""Whether alerts may be sent to a webhook of this machine or in a private network."""
DEFAULT_FROM_EMAIL = env.address("DEFAULT_FROM_EMAIL", default="house@localhost")

# Static files: bundled, hashed and cached permanently.

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = DATA_DIR / "static"
FILE_UPLOAD_PERMISSIONS, FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o600, 0o700  # of these files
WHITENOISE_ALLOW_ALL_ORIGINS = False
"""No CORS header: other sites do not need static files."""
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "blackjack_site.assets.storage.BundledStaticFilesStorage"},
}

# Security headers and cookies.

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = IS_HTTPS
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "tables.operators.error_pages.csrf_failure"
SECURE_REDIRECT_EXEMPT = ["^livez$", "^readyz$", "^metrics$"]
HSTS_SECONDS = env.number("HSTS_SECONDS", default=31_536_000, least=0, most=100_000_000)
HSTS_SUBDOMAINS, HSTS_PRELOAD = env.flag("HSTS_SUBDOMAINS"), env.flag("HSTS_PRELOAD")
"""The operator decides: the site does not know the other subdomains."""
SECURE_HSTS_SECONDS = HSTS_SECONDS if IS_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = IS_HTTPS and HSTS_SUBDOMAINS
SECURE_HSTS_PRELOAD = IS_HTTPS and HSTS_PRELOAD
if HSTS_PRELOAD and (not HSTS_SUBDOMAINS or HSTS_SECONDS < 31_536_000):
    raise ImproperlyConfigured(
        "HSTS_PRELOAD asks to be in the list that browsers bring along, which wants "
        "HSTS_SUBDOMAINS as well and HSTS_SECONDS of 31536000 or more: set these too, or leave "
        "it out."
    )
SILENCED_SYSTEM_CHECKS = [
    # ``check --deploy`` expects both on every site.
    *(["security.W005"] if not HSTS_SUBDOMAINS else []),
    *(["security.W021"] if not HSTS_PRELOAD else []),
]
if IS_HTTPS and not ALLAUTH_TRUSTED_PROXY_COUNT:
    raise ImproperlyConfigured(
        "SITE_URL begins with https://, which a proxy in front of this server speaks: "
        "set TRUSTED_PROXIES=1 (or how many there are)."
    )
if IS_HTTPS and DEBUG:
    raise ImproperlyConfigured(
        "DEBUG shows strangers the inside of the site: leave it out where SITE_URL is https://."
    )
if ALLAUTH_TRUSTED_PROXY_COUNT:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
X_FRAME_OPTIONS = "DENY"

# Requests: forms without files.

MOST_BODY_BYTES = 64 * 1024
"""The limit of a request body; more is refused before it is read."""
DATA_UPLOAD_MAX_MEMORY_SIZE = MOST_BODY_BYTES
DATA_UPLOAD_MAX_NUMBER_FILES = 0
SECURE_REFERRER_POLICY = "same-origin"

# Languages, each under its own name. ``locale/`` has their catalogues.

LANGUAGES = env.some_of(
    "LANGUAGES", among={"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français"}
)
LANGUAGE_CODE = env.one_of("LANGUAGE_CODE", among=[code for code, _ in LANGUAGES])
"""The language of readers whose browser asks for none of these."""
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_SECURE = IS_HTTPS
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
FORMAT_MODULE_PATH = "blackjack_site.formats"
USE_TZ = True
TIME_ZONE = "UTC"

METRICS_TOKEN = env.token("METRICS_TOKEN", least=20)
"""The token for /metrics from other machines; this machine and operators need none."""

LOGGING_CONFIG = None
LOG_FORMAT = env.one_of("LOG_FORMAT", among=LOG_FORMATS)
LOG_LEVEL = env.one_of("LOG_LEVEL", among=LOG_LEVELS)
configure_logs(log_format=LOG_FORMAT, level=LOG_LEVEL)

SENTRY_DSN = env.sentry_dsn("SENTRY_DSN")
"""The service for error reports; without it, its package is not loaded."""
if SENTRY_DSN:
    from blackjack_site.monitoring.error_reports import start_reports

    start_reports(SENTRY_DSN)
