"""Letters of people who write neither English nor French around their orders, and copies of our form."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import cycle
from typing import Final, NamedTuple

from tests.flow.forms import UTF8, head
from tests.flow.forms_cases import Form, Writing
from tests.flow.forms_said import ATTACK, Meant
from tests.mail.corpus import multipart, part

SEAT: Final = "DE"


class Tongue(NamedTuple):
    """How people and their programs say it. `introduction` names a day and an hour, and no address."""

    name: str
    greeting: str
    farewell: str
    introduction: str
    footer: str = ""


TONGUES: Final = (
    Tongue("German", "Sehr geehrte Damen und Herren,", "Mit freundlichen Grüßen",
           "Am 17.11.26 um 12:00 schrieb Umpire:",
           "Wenn Sie nicht der richtige Adressat sind, vernichten Sie bitte diese E-Mail."),
    Tongue("German, short", "Moin zusammen,", "LG", "Umpire schrieb am 17.11.2026 12:00:"),
    Tongue("Italian", "Buongiorno,", "Cordiali saluti", "Il 17/11/2026 12:00, Umpire ha scritto:",
           "Le informazioni contenute in questo messaggio sono riservate al destinatario."),
    Tongue("Spanish", "Buenos días:", "Un cordial saludo", "El 17/11/2026 a las 12:00, Umpire escribió:",
           "Este mensaje va dirigido exclusivamente a su destinatario."),
    Tongue("Portuguese", "Olá,", "Obrigado", "Em 17/11/2026 12:00, Umpire escreveu:",
           "Esta mensagem pode conter informação confidencial."),
    Tongue("Dutch", "Goedemorgen,", "Met vriendelijke groet,", "Op 17-11-2026 om 12:00 schreef Umpire:",
           "Dit bericht is vertrouwelijk en uitsluitend bestemd voor de geadresseerde."),
    Tongue("Swedish", "Hejsan!", "Med vänliga hälsningar", "Den 2026-11-17 kl. 12:00 skrev Umpire:",
           "Detta meddelande är konfidentiellt."),
    Tongue("Danish", "Hej,", "Med venlig hilsen", "Den 17.11.2026 12.00 skrev Umpire den 17.11.2026 12:00:"),
    Tongue("Finnish", "Terve,", "Ystävällisin terveisin", "Umpire kirjoitti 17.11.2026 klo 12.00:"),
    Tongue("Polish", "Dzień dobry,", "Pozdrawiam", "W dniu 17.11.2026 o 12:00, Umpire pisze:",
           "Ta wiadomość jest poufna."),
    Tongue("Czech", "Hello,", "Thanks", "Dne 17. 11. 2026 v 12:00 Umpire napsal(a) 17.11.2026 12:00:"),
    Tongue("Hungarian", "Hello,", "Thanks", "2026.11.17. 12:00 keltezéssel, Umpire írta:"),
)  # fmt: skip
CONTACTS: Final = (
    ("Dr. Max Brandt", "+49 30 1234567"),
    ("Max Brandt", "Tel.: 030 / 1234567", "www.brandt.test"),
    ("M. Brandt", "Mobile +46 (0)70-123 45 67", "https://brandt.test/max"),
)
WISHES: Final = (
    ("Hi there,", "Here are my moves for this round:", "Have a great weekend!"),
    ("Dear Mr Umpire,", "sorry for the delay.", "I hope all is well. Talk soon"),
    ("Bonjour Madame,", "voici mes ordres pour ce tour :", "En vous remerciant, très bonne journée"),
)
COPIED: Final = Meant(asks=("form-and-orders",))


def tongues(writing: Writing) -> Iterator[Form]:
    """Orders below the quote, above it, and in HTML; with what the writer's country says around them."""
    ours, places = writing.ours[SEAT], cycle(("below", "above"))
    for one in TONGUES:
        said = "\n".join(
            [one.greeting, "", ATTACK, "", one.farewell, "Max", *(["", one.footer] if one.footer else [])]
        )
        quote = "\n".join([one.introduction, *(f"> {line}" for line in ours.text.split("\n"))])
        where = next(places)
        text = f"{quote}\n\n{said}\n" if where == "below" else f"{said}\n\n{quote}\n"
        yield _plain(writing, f"{one.name}, {where}", text, Meant(ATTACK))
        rows = "".join(f"<div>{escape(line) or '<br>'}</div>" for line in said.split("\n"))
        page = f"{rows}<br><div>{one.introduction}</div><blockquote type=cite>{ours.html}</blockquote>"
        content = multipart("alternative", part(text, "text/plain", UTF8), part(page, "text/html", UTF8))
        yield _form(writing, f"{one.name}, HTML", content, Meant(ATTACK))


def around(writing: Writing) -> Iterator[Form]:
    """What people say before and after their orders, and how they can be reached."""
    for lines in CONTACTS:
        text = "\n".join(["Hello,", "", ATTACK, "", "Kind regards,", *lines])
        yield _plain(writing, f"“{lines[-1]}”", text, Meant(ATTACK))
    for greeting, before, after in WISHES:
        yield _plain(writing, f"“{before}”", f"{greeting}\n{before}\n{ATTACK}\n{after}\nMax", Meant(ATTACK))
    numbers = "4 3 2 1 4 3 2 1"  # like a telephone's, but what is it?
    yield _plain(writing, "bare numbers", f"{ATTACK}\n{numbers}", Meant(asks=("doubtful-line",), then=ATTACK))


def copied(writing: Writing) -> Iterator[Form]:
    """Our form stands unmarked in the letter as it was sent: it is no answer to other orders."""
    ours = writing.ours[SEAT]
    rows = ours.text.split("\n")
    first = next(at for at, row in enumerate(rows) if row.startswith("ORDERS "))
    form = rows[first : rows.index("END", first) + 1]
    bare = [row for row in form if not row.startswith("#")]
    passes = "\n".join(bare[1:-1])
    for name, block in (("whole", form), ("without remarks", bare)):
        text = "\n".join(block)
        yield _plain(writing, f"{name}, orders above", f"{ATTACK}\n\n{text}\n", COPIED)
        yield _plain(writing, f"{name}, orders below", f"{text}\n\n{ATTACK}\n", COPIED)
        yield _plain(writing, f"{name}, alone", f"Hello,\n\n{text}\n\nMax", Meant(passes))
    yield _plain(writing, "one quote mark for all of it", f"{ATTACK}\n\nMax\n\n> {ours.text}", Meant(ATTACK))
    for name, rest in (("first", rows[1:]), ("both", [row for row in rows if not row.startswith("##-")])):
        text = "\n".join([ATTACK, "", "Max", *rest])
        yield _plain(writing, f"no quote marks, and {name} of our marks taken off", text, Meant(ATTACK))


def _plain(writing: Writing, name: str, text: str, meant: Meant) -> Form:
    return _form(writing, name, part(text, "text/plain", UTF8), meant)


def _form(writing: Writing, name: str, content: bytes, meant: Meant) -> Form:
    ours = writing.ours[SEAT]
    return Form(name, "Thunderbird", SEAT, head(ours, "en", writing.at) + content, meant)
