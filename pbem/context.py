"""What every part of a service works with: database, addresses, clock, profile; and its mail servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import URL, Engine

from pbem.embedded.accounts import umpire_password
from pbem.mail.addresses import SeatAddresses
from pbem.mail.dkim import SenderProof
from pbem.mail.imap import Folders, ImapServer
from pbem.mail.smtp import SmtpServer
from pbem.settings import DATABASE, ServiceProfile, Settings, make_private_folder
from pbem.store.campaigns import service_key
from pbem.store.session import connect, migrate

ADDRESSES_KEY = "addresses"  # the service's key for tags and Message-IDs


def current_time() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class ServiceContext:
    """One service. Two workers of one service have equal contexts."""

    db: Engine
    addresses: SeatAddresses = field(repr=False)
    profile: ServiceProfile = field(default_factory=ServiceProfile)
    now: Callable[[], datetime] = current_time
    sender_proof: SenderProof = field(default_factory=SenderProof)


@contextmanager
def database_at(url: str | URL | Path) -> Iterator[Engine]:
    """The database there, for a while."""
    db = connect(url)
    try:
        yield db
    finally:
        db.dispose()


def open_context(
    db: Engine, mailbox: str, profile: ServiceProfile | None = None, authserv_id: str = ""
) -> ServiceContext:
    """The context of the service that receives letters at this address."""
    addresses = SeatAddresses(service_key(db, ADDRESSES_KEY), mailbox)
    return ServiceContext(
        db, addresses, profile or ServiceProfile(), sender_proof=SenderProof(authserv_id=authserv_id)
    )


def service_context(settings: Settings) -> ServiceContext:
    """The context of a configured service; creates or upgrades data folder and database where needed."""
    if not settings.database:
        make_private_folder(settings.data)
        if not settings.has_database:
            (settings.data / DATABASE).touch(0o600)
    return service_context_at(connect(settings.database_url), settings)


def service_context_at(db: Engine, settings: Settings) -> ServiceContext:
    """The same with another database, which is upgraded."""
    migrate(db)
    return open_context(db, settings.mailbox, settings.house, settings.authserv_id)


# ------------------------------------------------------------------ mail servers


def imap_server(settings: Settings) -> tuple[ImapServer, Folders] | None:
    """The mailbox that letters come to; None: there is none."""
    match settings.mail_kind:
        case "embedded":
            user, password = settings.mailbox.partition("@")[0], umpire_password(settings.mail_folder)
            return ImapServer("127.0.0.1", user, password, settings.embedded.imap_port, "none"), Folders()
        case "servers":
            assert settings.imap is not None
            table, secret = settings.imap, settings.imap.secret("imap")
            token = table.token if table.token_command else None
            server = ImapServer(
                table.host, table.user, secret, table.port, table.security, oauth2_token=token
            )
            return server, Folders(inbox=table.inbox, junk=table.junk)
    return None


def smtp_server(settings: Settings) -> SmtpServer | None:
    """The server that sends our letters; None: there is none."""
    match settings.mail_kind:
        case "embedded":
            port = settings.embedded.smtp_port
            return SmtpServer("127.0.0.1", port, security="none", our_name=settings.host)
        case "servers":
            assert settings.smtp is not None
            table = settings.smtp

            async def token() -> str:
                return table.token()

            return SmtpServer(
                host=table.host,
                port=table.port,
                user=table.user,
                password=table.secret("smtp"),
                oauth2_token=token if table.token_command else None,
                security=table.security,
                our_name=settings.host,
            )
    return None
