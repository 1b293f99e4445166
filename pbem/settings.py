"""Where each setting comes from: one TOML file, environment variables, or nothing at all.

Without either, everything lives in one data folder: the database, Redis on its own socket and, on request,
a small mail server. `PBEM_IMAP__HOST` in the environment is `host` in the table `[imap]` and wins over the
file.
A mistake is reported with its place, its key and the reason; secrets never are.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, TypeAlias, get_origin
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict
from sqlalchemy import URL, make_url

from engine.kernel.game import Language
from pbem.errors import BadInput

PREFIX: Final = "PBEM_"
FILE_VARIABLE: Final = "PBEM_CONFIG"  # names the file
FILE: Final = "pbem.toml"  # read from the current folder
DATA: Final = "pbem-data"
DATABASE: Final = "pbem.db"
NOT_SETTINGS: Final = frozenset({FILE_VARIABLE, "PBEM_TRACEBACK"})
LONGEST_SOCKET_PATH: Final = 100  # bytes: the system takes 107
TOKEN_SECONDS: Final = 30

Security: TypeAlias = Literal["tls", "starttls", "none"]
MailKind: TypeAlias = Literal["embedded", "servers", "none"]
ProofPolicy: TypeAlias = Literal["pinned", "dkim", "token"]

# Sent as it stands, or not at all: the SMTP library would correct what it takes for a mistake.
_ADDRESS: Final = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*"
)


def is_mail_address(address: str) -> bool:
    """Can an envelope carry that address as it stands?"""
    local, _, _ = address.rpartition("@")
    return len(address) <= 254 and len(local) <= 64 and _ADDRESS.fullmatch(address) is not None


def _check_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        raise ValueError(f"no time zone {name!r}; they are called Europe/Paris, UTC") from None
    return name


def _check_address(address: str) -> str:
    if not is_mail_address(address):
        raise ValueError(f"{address!r} is no mail address")
    return address.lower()


def _check_mailbox(address: str) -> str:
    if "+" in address:
        raise ValueError(f"{address!r} may hold no '+': that is where reply addresses begin")
    return _check_address(address)


Zone: TypeAlias = Annotated[str, AfterValidator(_check_zone)]
MailAddress: TypeAlias = Annotated[str, AfterValidator(_check_address)]
MailboxAddress: TypeAlias = Annotated[str, AfterValidator(_check_mailbox)]
Port: TypeAlias = Annotated[int, Field(ge=1, le=65535)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class _Account(_Table):
    """A server and how to log in: with a password, or with a command that prints a fresh OAuth2 token."""

    host: str = Field(min_length=1)
    user: str = ""
    password: SecretStr = SecretStr("")
    password_file: Path | None = None
    password_env: str = ""
    token_command: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _check_one_secret(self) -> Self:
        secrets = ("password", "password_file", "password_env", "token_command")
        names = [name for name in secrets if getattr(self, name)]
        if len(names) > 1:
            raise ValueError(f"{' and '.join(names)} are given; one of them is enough")
        return self

    def secret(self, table: str) -> str:
        """The password, wherever it is kept."""
        if self.password_file is not None:
            return _first_line(self.password_file, f"{table}.password_file")
        if self.password_env and self.password_env not in os.environ:
            raise BadInput(f"{table}.password_env: {self.password_env} is not in the environment")
        return os.environ[self.password_env] if self.password_env else self.password.get_secret_value()

    def token(self) -> str:
        """A fresh OAuth2 token."""
        try:
            done = subprocess.run(
                self.token_command, capture_output=True, timeout=TOKEN_SECONDS, check=False, text=True
            )
        except subprocess.TimeoutExpired:
            raise OSError(f"{self.token_command[0]} does not come to an end") from None
        if done.returncode != 0:
            raise OSError(f"{self.token_command[0]} ended with {done.returncode}")
        return done.stdout.strip()


class Imap(_Account):
    port: Port = 993
    security: Security = "tls"
    inbox: str = "INBOX"
    junk: str | None = ""  # "": the folder that the server marks as junk


class Smtp(_Account):
    port: Port = 587
    security: Security = "starttls"


class ServiceProfile(_Table):
    """Who runs the service, and the defaults of its campaigns."""

    name: str = Field(default="The Umpire", min_length=1, max_length=80)  # signs letters
    umpires: tuple[MailAddress, ...] = ()  # may open campaigns by letter, and are told of trouble
    language: Language = "en"  # of people whose own is unknown
    zone: Zone = "UTC"
    proof: ProofPolicy = "pinned"  # of campaigns that name none


class Embedded(_Table):
    """Ports of the mail server that comes with the service, on this machine only."""

    smtp_port: Port = 2525
    imap_port: Port = 2143


class Work(_Table):
    concurrency: int = Field(default=2, ge=1, le=64)


class Metrics(_Table):
    """Figures for Prometheus."""

    port: int = Field(default=0, ge=0, le=65535)  # 0: not served
    address: str = "127.0.0.1"


class Settings(_Table):
    """Everything a service must know; nothing is required. `read_settings` names the sources."""

    mailbox: MailboxAddress = "umpire@pbem.example"
    authserv_id: str = ""  # whose Authentication-Results we believe; "": nobody's, we check ourselves
    mail: MailKind | None = None  # None: servers if they are named, otherwise none
    data: Annotated[Path, AfterValidator(Path.absolute)] = Path(DATA)
    database: str = Field(default="", repr=False)  # "": SQLite in the data folder
    database_password_file: Path | None = None  # its first line goes into that URL
    redis: str = Field(default="", repr=False)  # "": our own in the data folder
    imap: Imap | None = None
    smtp: Smtp | None = None
    house: ServiceProfile = ServiceProfile()
    embedded: Embedded = Embedded()
    worker: Work = Work()
    metrics: Metrics = Metrics()

    @model_validator(mode="after")
    def _check_both_servers(self) -> Self:
        missing = [name for name, table in (("imap", self.imap), ("smtp", self.smtp)) if table is None]
        if self.mail == "servers" and missing:
            raise ValueError(f"mail = 'servers' needs {' and '.join(f'[{name}]' for name in missing)}")
        if self.mail is None and len(missing) == 1:
            given = "imap" if missing == ["smtp"] else "smtp"
            raise ValueError(f"[{given}] is given and [{missing[0]}] is not: letters could go one way only")
        return self

    # -------------------------------------------------------------- where things are

    @property
    def mail_kind(self) -> MailKind:
        return self.mail or ("none" if self.imap is None else "servers")

    @property
    def host(self) -> str:
        return self.mailbox.partition("@")[2]

    @property
    def database_url(self) -> str | Path | URL:
        if self.database_password_file is None or not self.database:
            return self.database or self.data / DATABASE
        password = _first_line(self.database_password_file, "database_password_file")
        return make_url(self.database).set(password=password)

    @property
    def redis_is_ours(self) -> bool:
        return not self.redis

    @property
    def redis_socket(self) -> Path:
        """In the data folder; where that path is too long for a socket, in a folder named after it."""
        plain = self.data / "redis.sock"
        if len(os.fsencode(plain)) <= LONGEST_SOCKET_PATH:
            return plain
        name = sha256(os.fsencode(self.data)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"pbem-{os.getuid()}-{name}" / "redis.sock"

    @property
    def redis_url(self) -> str:
        return self.redis or f"redis+socket://{self.redis_socket}"

    @property
    def mail_folder(self) -> Path:
        return self.data / "mail"

    @property
    def has_database(self) -> bool:
        """Was a service ever started here? Of a database on a server only the server knows: True."""
        return bool(self.database) or (self.data / DATABASE).exists()


def make_private_folder(path: Path) -> Path:
    """A folder that nobody else may read: it holds letters, passwords and the dice to come."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


# ------------------------------------------------------------------ reading


def read_settings(
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
    options: Mapping[str, str] | None = None,
) -> Settings:
    """From the file (named or found), the environment and the caller's overrides, each over the last.

    `options`: variables of the environment that command-line options have set, and the options' names.
    """
    env = os.environ if environment is None else environment
    path = find_file(file, env)
    base = Path.cwd() if path is None else path.parent.resolve()
    in_file = _resolve_paths({"data": DATA} | ({} if path is None else read_toml(path)), base)
    in_environment = _resolve_paths(_Environment(env)(), Path.cwd())
    try:
        return Settings.model_validate(_merge(_merge(in_file, in_environment), overrides or {}))
    except ValidationError as error:
        raise BadInput(_complaint(error, _Origin(path, in_file, in_environment, options or {}))) from None


def _merge(values: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Table by table; `over` wins."""
    shared = (key for key in over if isinstance(values.get(key), Mapping) and isinstance(over[key], Mapping))
    return {**values, **over, **{key: _merge(values[key], over[key]) for key in shared}}


def find_file(file: Path | None, environment: Mapping[str, str]) -> Path | None:
    """The file to read: named by the caller or the environment, or in this folder; None: there is none."""
    if file is None and (name := environment.get(FILE_VARIABLE)):
        file = Path(name)
    if file is None:
        return Path(FILE) if Path(FILE).is_file() else None
    if not file.is_file():
        raise BadInput(f"{file}: there is no such configuration")
    return file


def read_toml(path: Path) -> dict[str, Any]:
    """An error names the file and the place."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: {error}") from None


class _Variables(BaseSettings, Settings):
    model_config = SettingsConfigDict(env_prefix=PREFIX, env_nested_delimiter="__")


class _Environment(EnvSettingsSource):
    """`PBEM_HOUSE__UMPIRES=a@x,b@y` as `{"house": {"umpires": ["a@x", "b@y"]}}`.

    A variable that fits no setting is kept as well, so that it is refused.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        super().__init__(_Variables)
        names = (name for name in environment if name.startswith(PREFIX) and name not in NOT_SETTINGS)
        self.env_vars = {name.lower(): environment[name] for name in sorted(names)}

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: Any) -> Any:
        return value.split(",") if get_origin(field.annotation) is tuple else value

    def __call__(self) -> dict[str, Any]:
        values = super().__call__()
        for name, value in self.env_vars.items():
            key = name.removeprefix(PREFIX.lower())
            table, nested, _ = key.partition("__")
            if not (nested and isinstance(values.get(table), dict)):
                values.setdefault(key, value)
        return values


_PATHS: Final = (("data",), ("database_password_file",), ("imap", "password_file"), ("smtp", "password_file"))


def _resolve_paths(values: dict[str, Any], base: Path) -> dict[str, Any]:
    """A relative path starts where it is written."""
    for *tables, key in _PATHS:
        table = _part(values, tables)
        if isinstance(table, dict) and isinstance(table.get(key), str):
            table[key] = base / Path(table[key]).expanduser()
    return values


# ------------------------------------------------------------------ complaints


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where each setting came from: to blame the file, a variable or an option, whichever is wrong."""

    path: Path | None
    in_file: Mapping[str, Any]
    in_environment: Mapping[str, Any]
    options: Mapping[str, str]  # variable -> the command-line option behind it

    def place(self, keys: Sequence[str], kind: str, reason: str) -> str:
        if names := [self.options.get(name, name) for name in self._variables(keys, kind, reason)]:
            return " and ".join(names)
        file = "configuration" if self.path is None else str(self.path)
        return f"{file}: {'.'.join(keys)}" if keys else file

    def _variables(self, keys: Sequence[str], kind: str, reason: str) -> list[str]:
        """The variables that are wrong at these keys; none: the file is."""
        if kind == "missing":
            table = keys[:-1]
            only = _part(self.in_environment, table) is not None and _part(self.in_file, table) is None
            return [_variable(keys)] if only else []
        value = _part(self.in_environment, keys)
        if not isinstance(value, Mapping):
            return [] if value is None else [_variable(keys)]
        named = re.findall(r"[a-z_]+", reason)  # a mistake of several keys names them
        return [_variable([*keys, *below]) for below in _leaves(value) if not {*below}.isdisjoint(named)]


def _complaint(error: ValidationError, origin: _Origin) -> str:
    """All mistakes, unknown keys first: place, key and reason; never a value that may be a password."""
    problems = error.errors(include_input=False, include_url=False)
    problems.sort(key=lambda problem: problem["type"] != "extra_forbidden")
    lines = []
    for problem in problems:
        keys = [str(part) for part in problem["loc"] if not isinstance(part, int)]
        kind, reason = problem["type"], problem["msg"].removeprefix("Value error, ")
        lines.append(f"{origin.place(keys, kind, reason)}: {_REASONS.get(kind, reason)}")
    return "; ".join(dict.fromkeys(lines))


_REASONS: Final = {"extra_forbidden": "no such key", "missing": "missing"}


def _variable(keys: Sequence[str]) -> str:
    return f"{PREFIX}{'__'.join(keys).upper()}"


def _part(values: Any, keys: Sequence[str]) -> Any:
    """The value at these keys; None: there is none."""
    for key in keys:
        values = values.get(key) if isinstance(values, Mapping) else None
    return values


def _leaves(values: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from ((key, *below) for below in _leaves(value))
        else:
            yield (key,)


def _first_line(path: Path, where: str) -> str:
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise BadInput(f"{where}: {path}: {error.strerror}") from None
    if not lines or not lines[0]:
        raise BadInput(f"{where}: {path} is empty")
    return lines[0]
