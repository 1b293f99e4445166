"""The yardstick of the mail service: a bot that fetches letters by IMAP and sends each back by SMTP.

    python -m tests.bench.echo IMAP_PORT SMTP_PORT

It knows no game, keeps nothing and proves nothing. It is the plain program that one writes with the two
libraries: wait in IDLE, fetch a letter, send the answer with one call, put the letter away before the next,
so that none is answered twice. Each answer is told on standard output when the mail server has taken it: the
writer's address, and the time.
"""

from __future__ import annotations

import asyncio
import sys
import time
from email.parser import BytesHeaderParser
from email.utils import parseaddr
from typing import Any

import aiosmtplib
from imapclient import IMAPClient, SocketTimeout

from tests.servers import HOST, LOOPBACK, PASSWORD

USER = "echo"
AWAY = "Processed"


async def echo(imap: int, smtp: int) -> None:
    patience: Any = SocketTimeout(connect=10, read=60)
    with IMAPClient(LOOPBACK, imap, ssl=False, timeout=patience) as box:
        box.login(USER, PASSWORD)
        if not box.folder_exists(AWAY):
            box.create_folder(AWAY)
        box.select_folder("INBOX")
        while True:
            for uid in box.search("ALL"):
                raw = box.fetch([uid], ["BODY.PEEK[]"])[uid][b"BODY[]"]
                await send_back(smtp, raw)
                box.move([uid], AWAY)
            if not box.search("ALL"):
                box.idle()
                box.idle_check(timeout=60)
                box.idle_done()


async def send_back(smtp: int, raw: bytes) -> None:
    writer = parseaddr(str(BytesHeaderParser().parsebytes(raw)["From"]))[1]
    await aiosmtplib.send(
        raw, sender=f"{USER}@{HOST}", recipients=[writer], hostname=LOOPBACK, port=smtp, start_tls=False
    )
    print(writer, time.time(), flush=True)


if __name__ == "__main__":
    asyncio.run(echo(int(sys.argv[1]), int(sys.argv[2])))
