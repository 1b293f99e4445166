"""How a service is set up: one TOML file, or environment variables, or nothing at all.

Without any word everything lives in one data folder: the database, Redis on a socket of its own and, if asked
for, a small mail server. `PBEM_IMAP__HOST` in the environment is `host` of the table `[imap]` in the file and
wins over it. Every mistake is told with its place, its key and what is wrong with it; secrets are never told.
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
from typing import Annotated, Any, Final, Literal, Self, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator
from sqlalchemy import URL, Engine, make_url

from engine.kernel.game import Language
from pbem.context import ServiceContext, ServiceProfile, open_context
from pbem.errors import BadInput
from pbem.mail.dkim import Proof
from pbem.mail.imap import Folders, ImapServer
from pbem.mail.smtp import SmtpServer, is_sendable
from pbem.store.session import connect, migrate

PREFIX: Final = "PBEM_"
FILE_VARIABLE: Final = "PBEM_CONFIG"  # names the file
FILE: Final = "pbem.toml"  # looked for where the command is given
DATA: Final = "pbem-data"
DATABASE: Final = "pbem.db"
NOT_OURS: Final = frozenset({FILE_VARIABLE, "PBEM_TRACEBACK"})
LONGEST_SOCKET_PATH: Final = 100  # bytes: the system takes 107
TOKEN_SECONDS: Final = 30

Security: TypeAlias = Literal["tls", "starttls", "none"]
Mail: TypeAlias = Literal["embedded", "servers", "none"]


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        raise ValueError(f"no time zone {name!r}; they are called Europe/Paris, UTC") from None
    return name


def _address(address: str) -> str:
    if not is_sendable(address):
        raise ValueError(f"{address!r} is no mail address")
    return address.lower()


def _mailbox(address: str) -> str:
    if "+" in address:
        raise ValueError(f"{address!r} may hold no '+': that is where reply addresses begin")
    return _address(address)


Zone: TypeAlias = Annotated[str, AfterValidator(_zone)]
MailAddress: TypeAlias = Annotated[str, AfterValidator(_address)]
MailboxAddress: TypeAlias = Annotated[str, AfterValidator(_mailbox)]
Port: TypeAlias = Annotated[int, Field(ge=1, le=65535)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class _Account(_Table):
    """A server, and how we get in: a password, or a command that prints a fresh OAuth2 token."""

    host: str = Field(min_length=1)
    user: str = ""
    password: SecretStr = SecretStr("")
    password_file: Path | None = None
    password_env: str = ""
    token_command: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_way_in(self) -> Self:
        named = ("password", "password_file", "password_env", "token_command")
        ways = [name for name in named if name in self.model_fields_set and getattr(self, name)]
        if len(ways) > 1:
            raise ValueError(f"{' and '.join(ways)} are given; one of them is enough")
        return self

    def secret(self, where: str) -> str:
        """The password, wherever it is kept."""
        if self.password_file is not None:
            return _first_line(self.password_file, f"{where}.password_file")
        if self.password_env:
            found = os.environ.get(self.password_env)
            if found is None:
                raise BadInput(f"{where}.password_env: {self.password_env} is not in the environment")
            return found
        return self.password.get_secret_value()

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
    junk: str | None = ""  # "": the one the server calls so

    def server(self) -> ImapServer:
        way = (self.host, self.user, self.secret("imap"), self.port, self.security)
        return ImapServer(*way, oauth2_token=self.token if self.token_command else None)

    def folders(self) -> Folders:
        return Folders(inbox=self.inbox, junk=self.junk)


class Smtp(_Account):
    port: Port = 587
    security: Security = "starttls"

    def server(self, our_name: str) -> SmtpServer:
        async def token() -> str:
            return self.token()

        return SmtpServer(
            self.host,
            self.port,
            self.user,
            self.secret("smtp"),
            token if self.token_command else None,
            self.security,
            our_name=our_name,
        )


class Hosts(_Table):
    """The house."""

    name: str = Field(default="The Umpire", min_length=1, max_length=80)
    umpires: tuple[MailAddress, ...] = ()
    language: Language = "en"
    zone: Zone = "UTC"
    proof: Proof = "pinned"


class Embedded(_Table):
    """Doors of the mail server that comes with the service, on this machine only."""

    smtp_port: Port = 2525
    imap_port: Port = 2143


class Work(_Table):
    concurrency: int = Field(default=2, ge=1, le=64)


class Metrics(_Table):
    """Figures for Prometheus."""

    port: int = Field(default=0, ge=0, le=65535)  # 0: nobody listens
    address: str = "127.0.0.1"


class Settings(_Table):
    """Everything a service must know; nothing is asked for."""

    mailbox: MailboxAddress = "umpire@pbem.example"
    authserv_id: str = ""  # whose Authentication-Results we believe; "": nobody's, we check ourselves
    mail: Mail | None = None  # None: servers if they are named, otherwise none
    data: Path = Path(DATA)
    database: str = Field(default="", repr=False)  # "": SQLite in the data folder
    database_password_file: Path | None = None  # whose first line belongs into that URL
    redis: str = Field(default="", repr=False)  # "": our own in the data folder
    imap: Imap | None = None
    smtp: Smtp | None = None
    house: Hosts = Hosts()
    embedded: Embedded = Embedded()
    worker: Work = Work()
    metrics: Metrics = Metrics()

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.mail == "servers" and (self.imap is None or self.smtp is None):
            missing = " and ".join(f"[{name}]" for name in ("imap", "smtp") if getattr(self, name) is None)
            raise ValueError(f"mail = 'servers' needs {missing}")
        if self.mail is None and (self.imap is None) != (self.smtp is None):
            one, other = ("imap", "smtp") if self.smtp is None else ("smtp", "imap")
            raise ValueError(f"[{one}] is given and [{other}] is not: letters could go one way only")
        return self

    # -------------------------------------------------------------- where things are

    @property
    def mail_kind(self) -> Mail:
        if self.mail is not None:
            return self.mail
        return "none" if self.imap is None else "servers"

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

    def imap_server(self) -> tuple[ImapServer, Folders] | None:
        """The mailbox letters come to; None: there is none."""
        match self.mail_kind:
            case "embedded":
                from pbem.embedded.accounts import umpire_password

                user = self.mailbox.partition("@")[0]
                password = umpire_password(self.mail_folder)
                return ImapServer("127.0.0.1", user, password, self.embedded.imap_port, "none"), Folders()
            case "servers":
                assert self.imap is not None
                return self.imap.server(), self.imap.folders()
        return None

    def smtp_server(self) -> SmtpServer | None:
        """Who takes our letters; None: nobody."""
        match self.mail_kind:
            case "embedded":
                return SmtpServer("127.0.0.1", self.embedded.smtp_port, security="none", our_name=self.host)
            case "servers":
                assert self.smtp is not None
                return self.smtp.server(self.host)
        return None


def has_database(configuration: Settings) -> bool:
    """Has a service ever been here? Of a database elsewhere that is only known when it is asked."""
    return bool(configuration.database) or (configuration.data / DATABASE).exists()


def service_context(configuration: Settings) -> ServiceContext:
    """The office; data folder and database are made, or brought up to date, where that is needed."""
    if not configuration.database:
        private_folder(configuration.data)
        if not has_database(configuration):
            os.close(os.open(configuration.data / DATABASE, os.O_WRONLY | os.O_CREAT, 0o600))
    return service_context_at(connect(configuration.database_url), configuration)


def service_context_at(db: Engine, configuration: Settings) -> ServiceContext:
    """The same with another database, which is brought up to date."""
    migrate(db)
    house = configuration.house
    ways = ServiceProfile(house.name, house.umpires, house.language, house.zone, house.proof)
    return open_context(db, configuration.mailbox, ways, configuration.authserv_id)


def private_folder(path: Path) -> Path:
    """A folder nobody else may look into: it holds letters, passwords and the dice to come."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


# ------------------------------------------------------------------ reading


def read_settings(
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
    options: Mapping[str, str] | None = None,
) -> Settings:
    """From the file named (or found), the environment, and what the command line adds, each over the last.

    `options`: variables of the environment that the command line has set, and how it calls them.
    """
    env = os.environ if environment is None else environment
    path = file_named(file, env)
    told = {} if path is None else _read(path)
    base = Path.cwd() if path is None else path.parent.resolve()
    told = _placed(told, base)
    spoken = _placed(_from_environment(env), Path.cwd())
    merged = _merged(_merged(told, spoken), dict(overrides or {}))
    merged["data"] = Path(merged.get("data", base / DATA)).absolute()
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        raise BadInput(_complaint(error, _Sources(path, told, spoken, options or {}))) from None


def file_named(file: Path | None, environment: Mapping[str, str]) -> Path | None:
    """The file to read: named by the command, by the environment, or lying here; None: there is none."""
    if file is None and (named := environment.get(FILE_VARIABLE)):
        file = Path(named)
    if file is None:
        return Path(FILE) if Path(FILE).is_file() else None
    if not file.is_file():
        raise BadInput(f"{file}: there is no such configuration")
    return file


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: {error}") from None


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """`PBEM_HOUSE__UMPIRES=a@x,b@y` as `{"house": {"umpires": ["a@x", "b@y"]}}`."""
    told: dict[str, Any] = {}
    for name in sorted(environment):
        if not name.startswith(PREFIX) or name in NOT_OURS:
            continue
        *tables, key = name.removeprefix(PREFIX).lower().split("__")
        here = told
        for table in tables:
            here = here.setdefault(table, {})
            if not isinstance(here, dict):
                raise BadInput(f"{name}: {table} is no table")
        here[key] = environment[name].split(",") if key in ("umpires", "token_command") else environment[name]
    return told


_PATHS: Final = (("data",), ("database_password_file",), ("imap", "password_file"), ("smtp", "password_file"))


def _placed(told: dict[str, Any], base: Path) -> dict[str, Any]:
    """Paths are meant from where they are written."""
    for *tables, key in _PATHS:
        here: Any = told
        for table in tables:
            here = here.get(table) if isinstance(here, dict) else None
        if isinstance(here, dict) and isinstance(here.get(key), str):
            here[key] = base / Path(here[key]).expanduser()
    return told


def _merged(under: dict[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        both = isinstance(below, dict) and isinstance(value, Mapping)
        merged[key] = _merged(below, value) if both and below is not None else value
    return merged


@dataclass(frozen=True, slots=True)
class _Sources:
    """Whence the configuration was read: to blame the file, a variable or an option, whichever is wrong."""

    path: Path | None
    told: Mapping[str, Any]  # by the file
    spoken: Mapping[str, Any]  # by the environment
    options: Mapping[str, str]  # variable -> the option of the command line that stands behind it

    def place(self, keys: Sequence[str], kind: str, reason: str) -> str:
        if variables := [self.options.get(one, one) for one in self._at_fault(keys, kind, reason)]:
            return " and ".join(variables)
        file = "configuration" if self.path is None else str(self.path)
        return f"{file}: {'.'.join(keys)}" if keys else file

    def _at_fault(self, keys: Sequence[str], kind: str, reason: str) -> list[str]:
        """The variables that are wrong at these keys; none: it is the file's mistake."""
        if kind == "missing":
            table = keys[:-1]
            ours = _part(self.spoken, table) is not None and _part(self.told, table) is None
            return [_variable(keys)] if ours else []
        found = _part(self.spoken, keys)
        if not isinstance(found, Mapping):
            return [] if found is None else [_variable(keys)]
        named = re.findall(r"[a-z_]+", reason)  # a mistake of several keys names them
        return [_variable([*keys, *below]) for below in _leaves(found) if not {*below}.isdisjoint(named)]


def _complaint(error: ValidationError, sources: _Sources) -> str:
    """All mistakes, unknown keys first: place, key and reason; never a value that may be a password."""
    problems = error.errors(include_input=False, include_url=False)
    problems.sort(key=lambda problem: problem["type"] != "extra_forbidden")
    told = []
    for problem in problems:
        keys = [str(part) for part in problem["loc"] if not isinstance(part, int)]
        kind, reason = problem["type"], problem["msg"].removeprefix("Value error, ")
        place = sources.place(keys, kind, reason)
        told.append(f"{place}: {_REASONS.get(kind, reason)}")
    return "; ".join(dict.fromkeys(told))


_REASONS: Final = {"extra_forbidden": "no such key", "missing": "missing"}


def _variable(keys: Sequence[str]) -> str:
    return f"{PREFIX}{'__'.join(keys).upper()}"


def _part(told: Any, keys: Sequence[str]) -> Any:
    """What is said at these keys; None: nothing."""
    for key in keys:
        told = told.get(key) if isinstance(told, Mapping) else None
    return told


def _leaves(told: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for key, value in told.items():
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
