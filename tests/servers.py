"""Real servers for tests: Dovecot, Postfix and Redis on loopback, each in a folder of its own."""

from __future__ import annotations

import grp
import os
import pwd
import random
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pbem.embedded.redis import redis_program
from tests.packages import Missing, installed

LOOPBACK = "127.0.0.1"
PORTS = (10_000, 32_000)  # below those of outgoing connections, which begin at 32768
START_SECONDS = 60  # a machine may be very busy
HOST = "play.example"  # mail to it goes into the Dovecot mailbox of the name before the '+'


def path_of(name: str, *packages: str) -> str:
    """The program's path; Debian packages are installed when root and missing."""
    where = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return installed(lambda: shutil.which(name, path=where), *packages)


def free_port() -> int:
    """One on which nobody listens, and which the system gives to no outgoing connection meanwhile."""
    while True:
        port = random.SystemRandom().randrange(*PORTS)
        with suppress(OSError), socket.socket() as probe:
            probe.bind((LOOPBACK, port))
            return port


def until_open(port: int, alive: subprocess.Popen[bytes] | None, log: Path) -> None:
    """Wait until somebody listens."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and (alive is None or alive.poll() is None):
        with suppress(OSError), socket.create_connection((LOOPBACK, port), timeout=1):
            return
        time.sleep(0.05)
    raise Missing(f"nothing listens on port {port}: {_end_of(log)}")


def _end_of(log: Path) -> str:
    return log.read_text(errors="replace")[-600:] if log.exists() else "no log"


# ------------------------------------------------------------------ Dovecot

PASSWORD = "correct-horse"
TOKEN_KEY = b"a key that signs tokens for tests"

_DOVECOT = """
base_dir = {folder}/run
log_path = {folder}/log
default_internal_user = {internal}
default_login_user = {login}
default_internal_group = {group}
protocols = imap lmtp
listen = 127.0.0.1
ssl = yes
ssl_cert = <{folder}/cert.pem
ssl_key = <{folder}/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain xoauth2
auth_failure_delay = 0
recipient_delimiter = +
lmtp_hdr_delivery_address = final
first_valid_uid = 1
mail_location = maildir:~/Maildir
mail_fsync = never
imap_idle_notify_interval = 29 mins
passdb {{
  driver = oauth2
  mechanisms = xoauth2
  args = {folder}/oauth2.conf
}}
passdb {{
  driver = static
  mechanisms = plain
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/mail/%n allow_all_users=yes
}}
namespace inbox {{
  inbox = yes
  mailbox Junk {{
    auto = create
    special_use = \\Junk
  }}
}}
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
    ssl = yes
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    address = 127.0.0.1
    port = {lmtp}
  }}
}}
"""

_OAUTH2 = """
introspection_mode = local
local_validation_key_dict = fs:posix:prefix={folder}/keys/
username_attribute = sub
"""


@dataclass(frozen=True, slots=True)
class Dovecot:
    """A running IMAP and LMTP server: any user, one password."""

    folder: Path
    imap: int
    imaps: int
    lmtp: int

    @property
    def trusted(self) -> ssl.SSLContext:
        """Trusts this server's own certificate and no other."""
        return ssl.create_default_context(cafile=str(self.folder / "cert.pem"))


@contextmanager
def dovecot() -> Iterator[Dovecot]:
    """Started in a folder of its own, stopped and removed at the end."""
    program = path_of("dovecot", "dovecot-imapd", "dovecot-lmtpd")
    if not Path("/usr/lib/dovecot/lmtp").exists():
        path_of("/usr/lib/dovecot/lmtp", "dovecot-imapd", "dovecot-lmtpd")
    folder = Path(tempfile.mkdtemp(prefix="pbem-imap-", dir="/tmp"))  # a socket's path must be short
    server: subprocess.Popen[bytes] | None = None
    try:
        running = Dovecot(folder, free_port(), free_port(), free_port())
        _write_dovecot(running)
        with (folder / "out").open("wb") as out:
            words = [program, "-F", "-c", str(folder / "dovecot.conf")]
            server = subprocess.Popen(words, stdout=out, stderr=out)
        until_open(running.imap, server, folder / "out")
        until_open(running.lmtp, server, folder / "log")
        yield running
    finally:
        if server is not None:
            server.send_signal(signal.SIGTERM)
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _write_dovecot(running: Dovecot) -> None:
    folder = running.folder
    me = pwd.getpwuid(os.geteuid())
    internal, login, owner = me.pw_name, me.pw_name, me
    if me.pw_uid == 0:  # mail is never kept as root
        internal, login, owner = "dovecot", "dovenull", pwd.getpwnam("dovecot")
    group = grp.getgrgid(owner.pw_gid).gr_name
    _certificate(folder)
    key = folder / "keys" / "default" / "HS256"
    key.mkdir(parents=True)
    (key / "default").write_bytes(b64encode(TOKEN_KEY))
    (folder / "mail").mkdir()
    (folder / "oauth2.conf").write_text(_OAUTH2.format(folder=folder))
    numbers = {"imap": running.imap, "imaps": running.imaps, "lmtp": running.lmtp}
    who = {"internal": internal, "login": login, "group": group, "uid": owner.pw_uid, "gid": owner.pw_gid}
    text = _DOVECOT.format(folder=folder, password=PASSWORD, **numbers, **who)
    (folder / "dovecot.conf").write_text(text)
    folder.chmod(0o755)
    if me.pw_uid == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, owner.pw_uid, owner.pw_gid)


def _certificate(folder: Path) -> None:
    program = path_of("openssl", "openssl")
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run([program, *words.split(), *names, *files], check=True, capture_output=True, timeout=30)


# ------------------------------------------------------------------ Postfix

_MAIN = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
myhostname = mx.{host}
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
virtual_mailbox_domains = {host}
virtual_transport = lmtp:inet:127.0.0.1:{lmtp}
recipient_delimiter = +
lmtp_destination_recipient_limit = 1
default_transport = error:mail stays on this machine
relay_transport = error:mail stays on this machine
local_transport = error:mail stays on this machine
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_recipient_restrictions = check_recipient_access inline:{{{{gone@{host}=550 5.1.1 nobody here}}}}
alias_maps =
alias_database =
maillog_file = {folder}/log
maillog_file_prefixes = /tmp
"""

_MASTER = """
127.0.0.1:{port} inet n - n - - smtpd
pickup    unix  n - n 60 1 pickup
cleanup   unix  n - n - 0 cleanup
qmgr      unix  n - n 300 1 qmgr
tlsmgr    unix  - - n 1000? 1 tlsmgr
rewrite   unix  - - n - - trivial-rewrite
bounce    unix  - - n - 0 bounce
defer     unix  - - n - 0 bounce
trace     unix  - - n - 0 bounce
verify    unix  - - n - 1 verify
flush     unix  n - n 1000? 0 flush
proxymap  unix  - - n - - proxymap
error     unix  - - n - - error
retry     unix  - - n - - error
discard   unix  - - n - - discard
lmtp      unix  - - n - - lmtp
anvil     unix  - - n - 1 anvil
scache    unix  - - n - 1 scache
postlog   unix-dgram n - n - 1 postlogd
"""


@dataclass(frozen=True, slots=True)
class Postfix:
    """A running mail server that hands everything to Dovecot."""

    folder: Path
    port: int


@contextmanager
def postfix(behind: Dovecot) -> Iterator[Postfix]:
    """Takes mail for HOST and for nobody else."""
    program = path_of("postfix", "postfix")
    if os.geteuid() != 0:
        raise Missing("postfix runs as root only")
    folder = Path(tempfile.mkdtemp(prefix="pbem-smtp-", dir="/tmp"))
    running = Postfix(folder, free_port())
    config = folder / "config"
    try:
        folder.chmod(0o755)
        for name in ("config", "queue", "data"):
            (folder / name).mkdir()
        os.chown(folder / "data", pwd.getpwnam("postfix").pw_uid, -1)
        (config / "main.cf").write_text(_MAIN.format(folder=folder, host=HOST, lmtp=behind.lmtp))
        (config / "master.cf").write_text(_MASTER.format(port=running.port))
        _tell(program, config, "start")
        until_open(running.port, None, folder / "log")
        yield running
    finally:
        if (folder / "queue" / "pid" / "master.pid").exists():
            _tell(program, config, "stop")
        shutil.rmtree(folder, ignore_errors=True)


def _tell(program: str, config: Path, word: str) -> None:
    try:
        done = subprocess.run(
            [program, "-c", str(config), word],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=START_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Missing(f"postfix {word} took more than {START_SECONDS} s") from None
    if done.returncode != 0:
        raise Missing(f"postfix {word} failed: {_end_of(config.parent / 'log')}")


# ------------------------------------------------------------------ Redis


@dataclass(frozen=True, slots=True)
class RedisServer:
    """A running Redis on loopback, with nothing on disk."""

    url: str
    program: str


@contextmanager
def redis() -> Iterator[RedisServer]:
    """Debian's server; where that is not to be had, the one that comes with our own installation."""
    try:
        program = path_of("redis-server", "redis-server")
    except Missing as reason:
        program = str(redis_program())
        print(f"!!! NO REDIS OF THE SYSTEM, OUR OWN {program} STANDS IN: {reason}", file=sys.__stderr__)
    with tempfile.TemporaryDirectory(prefix="pbem-redis-", dir="/tmp") as folder:
        port, log = free_port(), Path(folder) / "log"
        words = (
            f"--bind {LOOPBACK} --port {port} --dir {folder} --appendonly no --daemonize no --save".split()
        )
        with log.open("wb") as out:
            server = subprocess.Popen([program, *words, ""], stdout=out, stderr=out)
        try:
            until_open(port, server, log)
            yield RedisServer(f"redis://{LOOPBACK}:{port}/0", program)
        finally:
            server.kill()  # it keeps nothing
            server.wait()
