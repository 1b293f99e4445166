"""What the large providers sign: the headers that stand in h= of letters which they really sent.

Gmail and GMX name every header of a list that is there and then seal a second list, so that none can be
added; Microsoft signs neither To nor the thread; iCloud and Yahoo leave a part of that open.
"""

from __future__ import annotations

import quopri
import re
from base64 import encodebytes
from collections.abc import Mapping
from types import MappingProxyType

_GMAIL = "from:to:cc:subject:date:message-id:reply-to"
_MICROSOFT = "from:date:subject:message-id:content-type:mime-version:x-ms-exchange-senderadcheck"
_GMX = "cc:content-transfer-encoding:content-type:date:from:message-id:mime-version:reply-to:subject:to"
_PROTON = "from:to:cc:date:subject:reply-to:feedback-id:message-id:bimi-selector"
SIGNED_BY: Mapping[str, str] = MappingProxyType(
    {
        "Gmail": f"to:subject:message-id:date:from:in-reply-to:references:mime-version:{_GMAIL}",
        "Gmail from Thunderbird": "content-transfer-encoding:in-reply-to:from:content-language:references:cc"
        f":to:subject:user-agent:mime-version:date:message-id:{_GMAIL}",
        "Gmail from mutt": "in-reply-to:content-transfer-encoding:content-disposition:mime-version:references"
        f":message-id:subject:cc:to:from:date:{_GMAIL}",
        "outlook.com": _MICROSOFT,
        "Microsoft 365": _MICROSOFT,
        "Yahoo": "date:from:to:subject:references:from:subject:reply-to",
        "Yahoo, in reply": "date:from:to:cc:in-reply-to:references:subject:from:subject:reply-to",
        "iCloud": "content-type:from:mime-version:subject:message-id:to:date:x-icloud-hme",
        "iCloud without a type": "from:to:subject:date:message-id:mime-version:x-icloud-hme",
        "GMX": "x-ui-sender-class:message-id:date:mime-version:to:cc:references:subject:from:in-reply-to"
        f":content-type:content-transfer-encoding:{_GMX}",
        "GMX before": "x-ui-sender-class:from:to:cc:subject:date:in-reply-to:references",
        "Proton": f"date:to:from:cc:subject:message-id:in-reply-to:references:feedback-id:{_PROTON}",
    }
)
LEAVES_THE_WAY_OPEN = frozenset(
    {"outlook.com", "Microsoft 365", "Yahoo", "iCloud", "iCloud without a type"}
)  # of a reply


def _plain(text: str) -> tuple[str, str]:
    return "Content-Type: text/plain; charset=UTF-8", text


def _quoted(text: str) -> tuple[str, str]:
    coded = quopri.encodestring(f"{text}\r\nÀ bientôt,\r\n".encode()).decode()
    return "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable", coded


def _base64(text: str) -> tuple[str, str]:
    coded = encodebytes(f"{text}\r\nBien cordialement,\r\n".encode()).decode().replace("\n", "\r\n")
    return 'Content-Type: text/plain; charset="utf-8"\r\nContent-Transfer-Encoding: base64', coded


def _html(text: str) -> tuple[str, str]:
    lines = "<br>\r\n".join(text.splitlines())
    return "Content-Type: text/html; charset=UTF-8", f"<html><body><div>{lines}</div></body></html>\r\n"


def _flowed(text: str) -> tuple[str, str]:
    return "Content-Type: text/plain; charset=UTF-8; format=flowed", text


def _parts(kind: str, *parts: tuple[str, str], before: str = "") -> tuple[str, str]:
    mark = f"----=_Part_{kind}_000000000000a1b2c3"
    whole = "".join(f"--{mark}\r\n{head}\r\n\r\n{body}\r\n" for head, body in parts)
    return f'Content-Type: multipart/{kind};\r\n boundary="{mark}"', f"{before}{whole}--{mark}--\r\n"


def _alternative(text: str) -> tuple[str, str]:
    return _parts("alternative", _plain(text), _html(text))


def _with_preamble(text: str) -> tuple[str, str]:
    before = "This is a multi-part message in MIME format.\r\n"
    return _parts("alternative", _plain(text), _html(text), before=before)


def _with_picture(text: str) -> tuple[str, str]:
    head = 'Content-Type: image/png; name="p.png"\r\nContent-Disposition: attachment; filename="p.png"'
    return _parts(
        "mixed", _alternative(text), (f"{head}\r\nContent-Transfer-Encoding: base64", "iVBORw0KGgo=")
    )


FORMS = (_plain, _quoted, _base64, _html, _flowed, _alternative, _with_preamble, _with_picture)
_LABELS = re.compile(
    rb"^(?:Content-[A-Za-z-]+|MIME-Version):[^\r\n]*\r\n(?:[ \t][^\r\n]*\r\n)*", re.MULTILINE
)


def in_form(raw: bytes, number: int, text: str) -> bytes:
    """The letter with that text in one of the forms in which mail programs write it."""
    labels, body = FORMS[number](text.replace("\n", "\r\n").rstrip() + "\r\n")
    head = _LABELS.sub(b"", raw.partition(b"\r\n\r\n")[0] + b"\r\n")
    return head + f"MIME-Version: 1.0\r\n{labels}\r\n\r\n{body}".encode()
