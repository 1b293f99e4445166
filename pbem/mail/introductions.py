"""What mail programs write before a quote and below a letter: English, French and German, closed lists.

Patterns only; `quotes` decides where they count. Every pattern is matched against one cleaned line (or a few
joined ones) of bounded length and runs in linear time.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

MAX_INTRODUCTION = 600  # characters that are looked at

HeaderKind: TypeAlias = Literal["from", "date", "to", "cc", "subject"]

# mail.md 3: the first and the last line of our letters, with what programs add to them.
START_MARKER = re.compile(r"[*_|\s]*##\s?-.*")
END_MARKER = re.compile(r"[*_|\s]*##\s?-\s*end\s*/\s*fin\b.*", re.IGNORECASE)

# "On Mon, Nov 16, 2026 at 9:23 AM Umpire <u@example.org> wrote:" and its sisters.
_OPENINGS = re.compile(
    r"(?:on|le|am|il|el|em|op|den|at|in (?:a|your) message|dans (?:un|son|votre) (?:message|courriel)"
    r"|in (?:einer|ihrer) (?:nachricht|mail)|quoting|citation de|zitat von|selon|date|[-*]+)(?=[\s:\d,\[])",
    re.IGNORECASE,
)
_VERBS = re.compile(
    r"\b(?:wrote|writes|said|a [ée]crit|[ée]crit|[ée]crivait|schrieb(?:en)?(?: am\b.*| folgendes)?"
    r"|hat (?:am\b.*)?geschrieben|escribi[oó]|ha scritto|escreveu|schreef)"
    r"(?: (?:in .{1,60}|the following|ce qui suit|au sujet .{1,40}))?\s*(?::|-{2,})?\s*$",
    re.IGNORECASE,
)
_VERB_FIRST = re.compile(r"^.{0,120}\b(?:wrote|a [ée]crit|schrieb)\b.{0,200}:\s*$", re.IGNORECASE)
_CLOCK = re.compile(
    r"\b\d{1,2}:\d{2}|\b\d{1,2}\s?h(?:\s?\d{2})?\b|\b\d{1,2}(?:\.\d{2})?\s?(?:uhr|[ap]\.?m)\b", re.IGNORECASE
)
_ADDRESS = re.compile(r"[^\s<>@\[(]{1,200}@[^\s<>@\])]{1,200}")
_DATE = re.compile(r"\b20\d\d\b|\b20\d\d-\d\d-\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-](?:20)?\d\d\b")

_DIVIDER = re.compile(
    r"[-_=*\s]{2,}\s*(?:original(?:\s|-)?(?:message|nachricht|mail|appointment)|message d.origine"
    r"|(?:message|mail|courriel|e-mail) (?:d.origine|original|initial|transf[ée]r[ée]|r[ée]exp[ée]di[ée])"
    r"|(?:urspr[üu]ngliche|weitergeleitete) (?:nachricht|mail|e-mail)|forwarded (?:message|by .{1,80})"
    r"|reply message|reply above this line|mensaje original|messaggio originale)[^\w]{0,3}\s*[-_=*\s]{2,}",
    re.IGNORECASE,
)
_FORWARD = re.compile(
    r"(?:begin forwarded message|d[ée]but du message (?:transf[ée]r[ée]|r[ée]exp[ée]di[ée])"
    r"|anfang der weitergeleiteten (?:nachricht|e-mail|mail))\s*:|message du \d{1,2}/\d{1,2}/\d{2,4}.{0,20}",
    re.IGNORECASE,
)
_DIVIDING, _FORWARDING = frozenset("-_=*"), frozenset("bdam")  # with which both begin
_DRAWN = frozenset("-_=*\u2500\u2014")  # with which lines begin that are drawn: these, and rules
RULE = re.compile(r"[_\u2500\u2014]{8,}|-{20,}|\*{8,}")  # drawn by Outlook above the copied header

_HEADERS: dict[HeaderKind, str] = {
    "from": r"from|de|von|da|van|exp[ée]diteur|absender|envoy[ée] par",
    "date": r"sent|date|envoy[ée](?: le)?|gesendet(?: am)?|datum|date d.envoi|received|re[çc]u(?: le)?"
    r"|enviado(?: el)?|inviato|verzonden|fecha|data",
    "to": r"to|[àa]|an|pour|para|aan|destinataires?|empf[äa]nger",
    "cc": r"cc|cci|bcc|copie(?: [àa])?|kopie|reply-to|r[ée]pondre [àa]|antwort an|importance|priorit[äa]t",
    "subject": r"subject|objet|sujet|betreff|asunto|oggetto|onderwerp",
}
_HEADER_NAMES = "|".join(f"(?P<{kind}_>{names})" for kind, names in _HEADERS.items())
_HEADER_LINE = re.compile(rf"[*_|\s]*(?:{_HEADER_NAMES})\s?[*_]*\s?:[*_]*(?:\s|$)", re.IGNORECASE)
_KINDS: dict[str | None, HeaderKind] = {f"{kind}_": kind for kind in _HEADERS}

_DEVICE = (
    r"(?:mon|ma|my|meinem|meiner|our|un|a)?\s*(?:appareil\s|device\s)?(?:i ?phone|i ?pad|ipod|galaxy|samsung"
    r"|android|mobile|smartphone|handy|t[ée]l[ée]phone|portable|blackberry|huawei|xiaomi|pixel|sony|nokia|htc"
    r"|oneplus|windows phone|tablette?)"
)
_PROGRAM = (
    r"(?:the |la |le |l['’´`]|der |die |dem |de |d['’´`])*+"
    r"(?:(?:app|application|messagerie|mobile|mobilen?|secure|s[ée]curis[ée]e)\s+)*+"
    r"(?:yahoo|outlook|gmail|proton ?mail|gmx|web\.de|k-9|k9|thunderbird|aquamail|fairemail|spark|orange|free"
    r"|sfr|laposte|mail|courrier|typeapp|bluemail|samsung|nine|tutanota|hushmail|aol|my ?mail|newton|airmail"
    r"|zimbra)"
)
_TAILS = (
    rf"(?:sent|envoy[ée]e?|gesendet|verschickt|diese nachricht wurde|ce message a [ée]t[ée] envoy[ée])\s"
    rf"(?:from|de(?:puis)?|[àa] partir d[e'’]|[àa] l.aide d[e'’]|via|von|vom|mit|by|using|with|avec|par|on|"
    rf"aus|über)\s?(?:{_DEVICE}|{_PROGRAM})\b.{{0,120}}",
    rf"(?:von|vom|mit)\s{_DEVICE}\b.{{0,60}}\bgesendet.{{0,20}}",
    rf"(?:von|vom|mit)\s{_PROGRAM}\b.{{0,60}}\bgesendet.{{0,20}}",
    r"(?:get|obtenez|obtenir|t[ée]l[ée]charge[rz]|holen sie sich|laden sie)\s(?:the )?outlook\s"
    r"(?:for|pour|f[üu]r)\s(?:ios|android|mac|windows).{0,90}",
    r"outlook f[üu]r (?:ios|android)(?: herunterladen| beziehen).{0,90}",
    r"provenance\s?:\s?courrier pour windows.{0,40}",
    r"(?:please excuse|veuillez excuser|bitte entschuldigen sie|excusez) (?:my|the|ma|la|meine|die)\s?"
    r"(?:brevity|bri[èe]vet[ée]|k[üu]rze).{0,60}",
    r"(?:virus-free|garanti sans virus|virenfrei|sans virus)\.?\s?\S{0,40}(?:avast|avg)\S{0,20}",
    r"l.absence de virus dans ce courrier .{0,80}avast.{0,40}",
    r"(?:this email has been checked for viruses by|diese e-mail wurde von) avast.{0,80}",
)
_TAIL = re.compile(rf"[-–—\s]{{0,4}}[<\[(*_]?(?:{'|'.join(_TAILS)})", re.IGNORECASE)


def may_introduce(line: str) -> bool:
    """Has a line any sign of an introduction? Most lines have none; a long one is looked at closely."""
    text = line.strip()
    if text.endswith(":") or "@" in text or "<" in text or text[:1] in _DRAWN or len(line) > MAX_INTRODUCTION:
        return bool(text)
    return header_kind(text) is not None or bool(_OPENINGS.match(text)) or is_divider(text)


def is_divider(text: str) -> bool:
    """`-----Original Message-----`, `Début du message transféré :` and the like."""
    first = text[:1].lower()
    if first in _DIVIDING:
        return bool(_DIVIDER.fullmatch(text))
    return first in _FORWARDING and bool(_FORWARD.fullmatch(text))


def header_kind(text: str) -> HeaderKind | None:
    """Which line of a copied header this is."""
    found = _HEADER_LINE.match(text) if ":" in text else None
    return None if found is None else _KINDS[found.lastgroup]


def opens_attribution(text: str) -> bool:
    """May this be the first line of an attribution that runs over several?"""
    return bool(_OPENINGS.match(text.lstrip("-* \t")) or _OPENINGS.match(text))


def is_attribution(text: str) -> bool:
    """Somebody wrote …, as programs say it."""
    text = text.strip()
    if text.startswith("---") and text.endswith("---"):
        return bool(_VERBS.search(text)) and is_certain(text)
    if not text.endswith(":"):
        return "@" in text and bool(_VERBS.search(text)) and bool(_ADDRESS.search(text))
    if _ADDRESS.search(text) and _DATE.search(text) and _CLOCK.search(text):
        return True
    said = bool(_VERBS.search(text)) or (bool(_VERB_FIRST.match(text)) and is_certain(text))
    return said or ((opens_attribution(text) or bool(_DATE.match(text))) and bool(_ADDRESS.search(text)))


def is_certain(text: str) -> bool:
    """It names an hour or an address: no line of a player's own prose about who wrote what does."""
    dated = bool(_DATE.search(text)) and bool(_CLOCK.search(text))
    return dated or bool(_ADDRESS.search(text))


def is_phone_signature(text: str) -> bool:
    """`Sent from my iPhone` and the other lines that programs add by themselves."""
    return len(text) < 240 and bool(_TAIL.fullmatch(text.strip().rstrip("]>)*_.! ")))
