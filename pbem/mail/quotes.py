"""Which lines of a text its writer quoted, and which their mail program added.

A quote is marked line by line (`>`, or an HTML quote that `html` counted), or it only begins: below
`-----Original Message-----`, a copied header or an attribution. Such a quote runs to the last line of our
letter (its end marker) or to the end of the text; what a player writes below our end marker is their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import Literal, TypeAlias

from pbem.mail.footers import last_block_end, mark_added_lines
from pbem.mail.message import Role, TextLine, is_end_marker, is_marker
from pbem.mail.strokes import SIGNS, mark_strokes

MAX_DEPTH = 50  # deeper marks are not counted
MAX_ATTRIBUTION = 5  # lines
MAX_HEADER_LINES = 12  # of a copied header, wrapped lines included
MAX_SIGNATURE = 12  # lines below a bare "--"

_MARKS = re.compile(r"\s*>(?:\s*>)*\s?")
_INITIALS = re.compile(r"\s?([^\W\d_]{1,4})>\s*##\s?-")  # of who is quoted, before our first line
_MANGLED = re.compile(r">From\b")  # what mailbox files do to a line that begins with "From"
_DASHES = ("--", "-- ", "—", "–", "— ", "– ")


def strip_marks(text: str) -> tuple[str, int]:
    """A line without its quote marks, and their number: `> >> x` is x at depth 3."""
    marks = _MARKS.match(text) if ">" in text else None
    if marks is None:
        return text, 0
    return text[marks.end() :], min(marks[0].count(">"), MAX_DEPTH)


def marked_lines(texts: Sequence[str]) -> list[TextLine]:
    """Plain lines with their depth by marks alone."""
    texts = _without_initials(texts)
    lines = [TextLine(*strip_marks(text)) for text in texts]
    for place, text in enumerate(texts):
        if text.startswith(">From") and _MANGLED.match(text) and not _beside_quote(lines, place):
            lines[place] = TextLine(text[1:])
    return lines


def _without_initials(texts: Sequence[str]) -> Sequence[str]:
    """`TU> text` is a quote where our own first or last line stands in one."""
    found = (_INITIALS.match(text) for text in texts if "##" in text)
    initials = next((f"{one[1]}>" for one in found if one), "")
    if not initials:
        return texts
    bare = (text.lstrip() for text in texts)
    return [
        one[len(initials) - 1 :] if one.startswith(initials) else text
        for one, text in zip(bare, texts, strict=True)
    ]


def _beside_quote(lines: Sequence[TextLine], place: int) -> bool:
    return any(line.quoted for line in (*lines[max(0, place - 1) : place], *lines[place + 1 : place + 2]))


def classify_lines(lines: Sequence[TextLine]) -> tuple[TextLine, ...]:
    """The lines with the quotes that only begin, attributions, copied headers and signatures recognised."""
    struck = mark_strokes(lines) if any(SIGNS.search(line.text) for line in lines) else lines
    return tuple(_Reader(mark_added_lines(struck)).read())


class _Reader:
    """One pass over the lines; `level` counts the quotes that only began."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self.lines = lines
        self.next_text = _next_texts(lines)
        self.level = 0
        self.in_signature = False
        self._introduction = cache(self._introduction_end)  # looked for once at each place
        self._kind = cache(self._header_kind)
        self.last_block_end = last_block_end(lines)

    def read(self) -> Iterator[TextLine]:
        place = 0
        while place < len(self.lines):
            line = self.lines[place]
            if line.quoted and not self.level and not line.role and not may_introduce(line.text):
                self.in_signature = self.in_signature and not line.text.strip()  # as below, for most lines
                yield line
                place += 1
                continue
            end = self._introduction(place)
            if end > place:
                yield from self._introduce(place, end)
                place = end
                continue
            yield self._tell(place, line)
            place += 1

    def _introduce(self, place: int, end: int) -> Iterator[TextLine]:
        """Attribution, divider or copied header: below it stands a quote, if marks do not say so already."""
        depth = self.lines[place].quoted
        if self._opens_quote(place, end):
            self.level += 1
            self.in_signature = False
        for line in self.lines[place:end]:
            yield TextLine(line.text, max(1, depth + self.level), "attribution")

    def _opens_quote(self, place: int, end: int) -> bool:
        if self.lines[place].quoted:
            return False
        following = self.next_text[end]
        if following < 0 or self.lines[following].quoted:
            return False
        if not self._is_bare_attribution(place, end) or is_marker(self.lines[following]):
            return True
        return not self._marks_follow(following)

    def _marks_follow(self, place: int) -> bool:
        """Are there marked lines before the next introduction? Then the quote just here was cut out."""
        for after, line in enumerate(self.lines[place:], place):
            if line.quoted and not line.role:
                return True
            if self._introduction(after) > after:
                return False
        return False

    def _is_bare_attribution(self, place: int, end: int) -> bool:
        """`Somebody wrote:`, and neither a divider nor a copied header."""
        first, text = self.lines[place], self.lines[place].text.strip()
        drawn = is_divider(text) or RULE.fullmatch(text) or is_titled_rule(text)
        if drawn or self._header_end(place) >= end:
            return False
        return self.lines[end - 1].text.rstrip().endswith(_COLONS) or not first.role

    def _tell(self, place: int, line: TextLine) -> TextLine:
        if line.quoted == 0 and self.level and is_end_marker(line):
            self.level -= 1
            return TextLine(line.text, self.level + 1)
        if line.quoted == 0 and self.level == 0:
            return self._at_the_surface(place, line)
        self.in_signature = self.in_signature and not line.text.strip()
        depth = line.quoted + self.level
        return TextLine(line.text, depth, line.role, line.left) if self.level else line

    def _at_the_surface(self, place: int, line: TextLine) -> TextLine:
        if is_marker(line):
            self.in_signature = False
        elif line.text in _DASHES and self._is_signature(place):
            self.in_signature = True
        role: Role = line.role
        if self.in_signature or is_phone_signature(line.text):
            role = "signature"
        if not line.text.strip():
            return TextLine(line.text)
        return TextLine(line.text, 1 if role else 0, role, line.left)

    def _is_signature(self, place: int) -> bool:
        """A line of dashes ends the text, unless much follows or a block of orders is still open."""
        return place >= self.last_block_end and self._own_below[place + 1] <= MAX_SIGNATURE

    @cached_property
    def _own_below(self) -> list[int]:
        """For each place how many lines stand from there to the next quote, marker or introduction."""
        found = [0] * (len(self.lines) + 1)
        for place in range(len(self.lines) - 1, -1, -1):
            line = self.lines[place]
            if not (line.quoted or is_marker(line) or self._introduction(place) > place):
                found[place] = found[place + 1] + bool(line.text.strip())
        return found

    def _introduction_end(self, place: int) -> int:
        """Where the introduction of a quote that begins here ends; `place` if none begins."""
        line = self.lines[place]
        if line.role == "attribution":
            return self._same_role(place)
        if line.role or not may_introduce(line.text):
            return place
        text = line.text.strip()
        if is_divider(text):
            return self._header_end(self.next_text[place + 1], place + 1)
        if not text[0].isalnum() and (RULE.fullmatch(text) or is_titled_rule(text)):
            below = self.next_text[place + 1]
            return self._header_end(below, place) if 0 <= below <= place + 3 else place
        return max(self._header_end(place), self._attribution_end(place))

    def _same_role(self, place: int) -> int:
        others = (at for at in range(place, len(self.lines)) if self.lines[at].role != "attribution")
        return next(others, len(self.lines))

    def _header_end(self, place: int, otherwise: int | None = None) -> int:
        """The end of a copied header (three of its lines, sender among them); else `otherwise` or `place`."""
        none = place if otherwise is None else otherwise
        if place < 0 or self._kind(place) is None:
            return none
        kinds: set[HeaderKind] = set()
        last = end = place
        for at, line in enumerate(self.lines[place : place + MAX_HEADER_LINES], place):
            kind = self._kind(at)
            again = kind in kinds and kind != "cc"
            if again or line.quoted != self.lines[place].quoted or not line.text.strip():
                break
            end += 1
            if kind is not None:
                kinds.add(kind)
                last = end
        complete = "from" in kinds and len(kinds) >= 3 and bool({"date", "subject"} & kinds)
        return self._through_wrapped(last, end) if complete else none

    def _header_kind(self, place: int) -> HeaderKind | None:
        return header_kind(self.lines[place].text[:MAX_INTRODUCTION])

    def _through_wrapped(self, last: int, end: int) -> int:
        """A copied header ends at a blank line; without one, at its last line that has a name."""
        stops_at_blank = end >= len(self.lines) or not self.lines[end].text.strip()
        return end if stops_at_blank and end - last <= 2 else last

    def _attribution_end(self, place: int) -> int:
        """The end of `On …, somebody wrote:`, which programs wrap; `place` if there is none."""
        first = self.lines[place]
        if not _may_attribute(first.text.strip()):
            return place
        joined, without_colon = "", place
        for end in range(place + 1, min(place + MAX_ATTRIBUTION, len(self.lines)) + 1):
            line = self.lines[end - 1]
            if line.quoted != first.quoted or not line.text.strip() or len(joined) > MAX_INTRODUCTION:
                break
            joined = f"{joined} {line.text.strip()}".strip()
            found = self._is_attribution(joined[:MAX_INTRODUCTION], end)
            if found and is_apart(first.text.strip(), joined[:MAX_INTRODUCTION]):
                break
            if found and joined.endswith(_COLONS):
                return end
            without_colon = end if found else without_colon
            if end == place + 1 and "<" not in joined and not opens_attribution(joined):
                break
        return without_colon

    def _is_attribution(self, text: str, end: int) -> bool:
        """A line of prose may look like an attribution: it counts with hour or address, or above a quote.

        What stands between the writer's words and a quote may say it in any language.
        """
        following = self.next_text[end]
        below = self.lines[following] if following >= 0 else TextLine("")
        if below.quoted or is_marker(below):
            return is_attribution(text) or names_letter(text)
        return is_attribution(text) and is_certain(text)


def _may_attribute(text: str) -> bool:
    """Has a line any sign of the first of an attribution?"""
    signs = text.endswith(_COLONS) or text.startswith("---") or "@" in text or "<" in text
    return signs or opens_attribution(text)


def _next_texts(lines: Sequence[TextLine]) -> list[int]:
    """For each place the first line at or after it that is not blank; -1 where none is left."""
    following = [-1] * (len(lines) + 2)
    for place in range(len(lines) - 1, -1, -1):
        following[place] = place if lines[place].text.strip() else following[place + 1]
    return following


MAX_INTRODUCTION = 600  # characters that are looked at
MAX_TITLED_RULE = 100
_COLONS = (":", "\uff1a")

HeaderKind: TypeAlias = Literal["from", "date", "to", "cc", "subject"]

# "On Mon, Nov 16, 2026 at 9:23 AM Umpire <u@example.org> wrote:" and its sisters.
_OPENINGS = re.compile(
    r"(?:on|le|am|il|el|em|op|den|at|in (?:a|your) message|dans (?:un|son|votre) (?:message|courriel)"
    r"|in (?:einer|ihrer) (?:nachricht|mail)|quoting|citation de|zitat von|selon|date|[-*]+)(?=[\s:\d,\[])",
    re.IGNORECASE,
)
_VERBS = re.compile(
    r"\b(?:wrote|writes|said|a [ée]crit|[ée]crit|[ée]crivait|schrieb(?:en)?(?: am\b.*| folgendes)?"
    r"|hat (?:am\b.*)?geschrieben|escribi[oó]|ha scritto|escreveu|schreef)"
    r"(?: (?:in .{1,60}|the following|ce qui suit|au sujet .{1,40}))?\s*(?::\s*)?(?:-{2,})?\s*$",
    re.IGNORECASE,
)
_VERB_FIRST = re.compile(r"^.{0,120}\b(?:wrote|a [ée]crit|schrieb)\b.{0,200}:\s*$", re.IGNORECASE)
_CLOCK = re.compile(
    r"(?<!\d)\d{1,2}:\d{2}|\b\d{1,2}\s?h(?:\s?\d{2})?\b|\b\d{1,2}(?:\.\d{2})?\s?(?:uhr|[ap]\.?m)\b"
    r"|\bklo?\.?\s?\d{1,2}\.\d{2}\b",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"[^\s<>@\[(]{1,200}@[^\s<>@\])]{1,200}")
_FULL_ADDRESS = re.compile(r"@[\w-]{1,63}(?:\.[\w-]{1,63})+")  # C@BRU is a piece on the map
_DATE = re.compile(r"(?<!\d)20\d\d(?!\d)|\b\d{1,2}[./-]\d{1,2}[./-](?:20)?\d\d\b")

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
_TITLED_RULE = re.compile(r"[-_=*]{3,}\s?(?:[^\W_]+(?:['\u2019-][^\W_]+)*+\s?){1,4}+[-_=*]{3,}")
_DIVIDING, _FORWARDING = frozenset("-_=*"), frozenset("bdam")  # with which both begin
_DRAWN = frozenset("-_=*\u2500\u2014")  # with which lines begin that are drawn: these, and rules
RULE = re.compile(r"[_\u2500\u2014]{8,}|-{20,}|\*{8,}")  # drawn by Outlook above the copied header

# English, French, German, Italian, Spanish, Portuguese, Dutch; the north; Czech, Polish; Hungarian, Turkish;
# Russian, Chinese, Japanese, Korean.
_HEADERS: dict[HeaderKind, str] = {
    "from": r"from|de|von|da|van|exp[ée]diteur|absender|envoy[ée] par|fr[åa]n?|l[äa]hett[äa]j[äa]|od"
    r"|felad[óo]|kimden|g[öo]nderen|от|发件人|寄件者|差出人|보낸\s?사람",
    "date": r"sent|date|envoy[ée](?: le)?|gesendet(?: am)?|datum|date d.envoi|received|re[çc]u(?: le)?"
    r"|enviado(?: el| em)?|enviada(?: em)?|inviato|verzonden|fecha|data|skickat|sendt|dato|l[äa]hetetty"
    r"|odesl[áa]no|wys[łl]ano|elk[üu]ldve|d[áa]tum|g[öo]nderildi|tarih|дата|отправлено|发送时间|日期|送信日時"
    r"|日時|보낸\s?날짜|날짜",
    "to": r"to|[àa]|an|pour|para|aan|destinataires?|empf[äa]nger|till?|vastaanottaja|komu|do|c[íi]mzett|kime"
    r"|кому|收件人|收件者|宛先|받는\s?사람",
    "cc": r"cc|cci|bcc|copie(?: [àa])?|kopie|reply-to|r[ée]pondre [àa]|antwort an|importance|priorit[äa]t"
    r"|copia|kopia|копия|抄送|참조",
    "subject": r"subject|objet|sujet|betreff|asunto|assunto|oggetto|onderwerp|[äa]mne|emne|aihe|p[řr]edm[ěe]t"
    r"|temat|t[áa]rgy|konu|тема|主题|主旨|件名|제목",
}
_HEADER_NAMES = "|".join(f"(?P<{kind}_>{names})" for kind, names in _HEADERS.items())
_HEADER_LINE = re.compile(rf"[*_|\s]*(?:{_HEADER_NAMES})\s?[*_]*\s?(?::[*_]*(?:\s|$)|\uff1a)", re.IGNORECASE)
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
    if text.endswith(_COLONS) or "@" in text or "<" in text or text[:1] in _DRAWN:
        return bool(text)
    if len(line) > MAX_INTRODUCTION or header_kind(text) is not None or is_divider(text):
        return bool(text)
    return opens_attribution(text)


def is_divider(text: str) -> bool:
    """`-----Original Message-----`, `Début du message transféré :` and the like."""
    first = text[:1].lower()
    if first in _DIVIDING:
        return bool(_DIVIDER.fullmatch(text))
    return first in _FORWARDING and bool(_FORWARD.fullmatch(text))


def is_titled_rule(text: str) -> bool:
    """`---- words ----`: it divides only above a copied header."""
    return text[:1] in _DIVIDING and len(text) <= MAX_TITLED_RULE and bool(_TITLED_RULE.fullmatch(text))


def header_kind(text: str) -> HeaderKind | None:
    """Which line of a copied header this is."""
    found = _HEADER_LINE.match(text) if ":" in text or "\uff1a" in text else None
    return None if found is None else _KINDS[found.lastgroup]


def opens_attribution(text: str) -> bool:
    """May this be the first line of an attribution that runs over several? A day and an hour always may."""
    return _opens_by_word(text) or ("20" in text and is_dated(text[:MAX_INTRODUCTION]))


def _opens_by_word(text: str) -> bool:
    bare = text.lstrip("-* \t")
    return bool(_OPENINGS.match(bare) or (bare is not text and _OPENINGS.match(text)))


def is_apart(first: str, joined: str) -> bool:
    """Is what follows a first line an attribution without it? Then that may be a command with a day."""
    rest = joined.removeprefix(first).strip()
    return bool(rest) and not _opens_by_word(first) and "<" not in first and is_attribution(rest)


def is_attribution(text: str) -> bool:
    """Somebody wrote …, as programs say it."""
    text = text.strip()
    if text.startswith("---") and text.endswith("---"):
        return bool(_VERBS.search(text)) and is_certain(text)
    if not text.endswith(_COLONS):
        return "@" in text and bool(_VERBS.search(text)) and bool(_ADDRESS.search(text))
    if _ADDRESS.search(text) and is_dated(text):
        return True
    said = bool(_VERBS.search(text)) or (bool(_VERB_FIRST.match(text)) and is_certain(text))
    return said or ((opens_attribution(text) or bool(_DATE.match(text))) and bool(_ADDRESS.search(text)))


def is_dated(text: str) -> bool:
    """Has it a day and an hour?"""
    return bool(_DATE.search(text)) and bool(_CLOCK.search(text))


def names_letter(text: str) -> bool:
    """A day and an address, or a day and an hour and a colon at its end.

    Right above a quote that is an attribution, in whatever language.
    """
    ends_so = text.rstrip().endswith(_COLONS) and is_dated(text)
    return ends_so or (bool(_FULL_ADDRESS.search(text)) and bool(_DATE.search(text)))


def is_certain(text: str) -> bool:
    """It names an hour or an address: no line of a player's own prose about who wrote what does."""
    return is_dated(text) or bool(_ADDRESS.search(text))


def is_phone_signature(text: str) -> bool:
    """`Sent from my iPhone` and the other lines that programs add by themselves."""
    return len(text) < 240 and bool(_TAIL.fullmatch(text.strip().rstrip("]>)*_.! ")))
