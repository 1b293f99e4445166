"""What programs, gateways and lists do to a letter on its way: two forms of it, footers, links, armour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import cycle
from typing import Final

from tests.flow.forms import APPLE, HANDS, HTML, PLAIN, UTF8, Body, answer, drawn, flowed, head, real
from tests.flow.forms_cases import Form, Writing
from tests.flow.forms_said import ATTACK, FRENCH, SEAT, Meant
from tests.flow.forms_special import BLOCK, FILED, NOTHING, Row, forms
from tests.mail.corpus import multipart, part
from tests.mail.replies import Tongue

ORDERS: Final[dict[Tongue, tuple[str, ...]]] = {
    "en": ("Hello,", "", *ATTACK.split("\n"), "", "Max"),
    "fr": ("Bonjour,", "", *FRENCH.split("\n"), "", "Jeanne"),
}
MEANT: Final[dict[Tongue, Meant]] = {"en": Meant(ATTACK), "fr": Meant(FRENCH)}
BOTH: Final[tuple[Tongue, ...]] = ("en", "fr")
TWO_FORMS: Final = tuple(program for program in HTML if program in PLAIN)


class Sent:
    """An answer as its program makes it of the writer's lines: its text, and its HTML."""

    def __init__(self, writing: Writing, program: str, tongue: Tongue, lines: Sequence[str]) -> None:
        self.writing, self.program, self.tongue = writing, program, tongue
        self.ours = writing.ours[SEAT[tongue]]
        reply = answer(self.ours, tongue, "top", lines, hand=HANDS.get(program))
        plain = PLAIN.get(program)
        self.text = real(plain.text(reply), reply, self.ours) if plain else ""
        self.flowed = plain is not None and plain.flowed
        self.page = real(HTML[program].text(reply), reply, self.ours) if program in HTML else ""

    def in_one_row(self, joint: str) -> str:
        """What Samsung's program makes of the page."""
        return joint.join(line.strip() for line in drawn(self.page, APPLE) if line.strip())

    def between(self, above: Sequence[str], below: Sequence[str]) -> None:
        """A gateway writes around all of it."""
        self.text = "\n".join([*above, *([""] if above else []), self.text, *below])
        first, last = ("".join(f"<div>{escape(line)}</div>" for line in lines) for lines in (above, below))
        start = self.page.find(">", self.page.find("<body")) + 1 if "<body" in self.page else 0
        end = self.page.find("</body>") if "</body>" in self.page else len(self.page)
        self.page = f"{self.page[:start]}{first}{self.page[start:end]}{last}{self.page[end:]}"

    def form(self, name: str, meant: Meant, kind: Body = "alternative") -> Form:
        mime = "text/plain; format=flowed" if self.flowed else "text/plain"
        text = part(flowed(self.text) if self.flowed else self.text, mime, UTF8)
        page = part(self.page, "text/html", UTF8)
        body = {"plain": text, "html": page, "alternative": multipart("alternative", text, page)}[kind]
        raw = head(self.ours, self.tongue, self.writing.at) + body
        return Form(f"{self.tongue} {name}, {kind}", self.program, self.ours.seat, raw, meant)

    def with_text(self, text: str, name: str, meant: Meant) -> Form:
        """Beside this text in place of its own."""
        self.text, self.flowed = text, False
        return self.form(name, meant)


# ------------------------------------------------------------------ which of two forms is the letter

PLACEHOLDERS: Final = (
    "This message is in HTML.",
    "Your mail program does not support HTML. View this message in a browser: https://mail.test/?id=7",
    "Ce message est au format HTML ; affichez-le dans un navigateur.",
    "Diese Nachricht liegt nur als HTML vor.",
    "<!DOCTYPE html>",
    "[cid:image001.png@01DB3A5F.2B1E9A40]",
)
COMMANDS: Final = (
    ("STATUS", NOTHING),
    ("READY", Meant(stance="ready")),
    ("CONFIRM", NOTHING),
    ("16", Meant(reply="C1: MOVE 1: DE1 DE2 > 2")),
)


def one_row(writing: Writing) -> Iterator[Form]:
    """A text without line ends beside whole HTML: the HTML is the letter."""
    joints = cycle(("", " ", "  "))
    for program in HTML:
        tongue, said = writing.next_said()
        sent = Sent(writing, program, tongue, said.lines)
        yield sent.with_text(sent.in_one_row(next(joints)), f"{said.name} in one row", said.meant)
    for program, (words, meant) in zip(("Gmail web", "Yahoo", "Proton", "iPhone"), COMMANDS, strict=True):
        sent = Sent(writing, program, "en", [words])
        yield sent.with_text(sent.in_one_row(next(joints)), f"{words} in one row", meant)


def placeholders(writing: Writing) -> Iterator[Form]:
    """A text that says nothing of the HTML."""
    words = cycle(PLACEHOLDERS)
    for program, tongue in zip(HTML, cycle(BOTH), strict=False):
        sent = Sent(writing, program, tongue, ORDERS[tongue])
        yield sent.with_text(next(words), "a text that says nothing", MEANT[tongue])
    sent = Sent(writing, "Outlook web", "en", ["STATUS"])
    yield sent.with_text(PLACEHOLDERS[1], "a text that says nothing, and a command", NOTHING)


def differing(writing: Writing) -> Iterator[Form]:
    """Two forms that say different things: asked about, if what they say are orders."""
    asks = Meant(asks=("forms-differ",))
    for program, (old, new) in zip(
        TWO_FORMS,
        [("ATTACK 3", "ATTACK 4"), ("Hello,", "RESIGN"), ("C2: MOVE 1: DE1 DE2 > 2", ""), ("Max", "READY")],
        strict=False,
    ):
        sent = Sent(writing, program, "en", ORDERS["en"])
        sent.text = sent.text.replace(old, new, 1)
        yield sent.form(f"a text with {new or 'one order less'}", asks)
        sent = Sent(writing, program, "en", ORDERS["en"])
        sent.page = sent.page.replace(escape(old), escape(new), 1)
        yield sent.form(f"HTML with {new or 'one order less'}", asks)
    for program in ("Gmail web", "Outlook desktop", "Thunderbird"):
        sent = Sent(writing, program, "fr", ORDERS["fr"])
        sent.text = sent.text.replace("Bonjour,", "Bonsoir à tous,", 1)
        yield sent.form("other greetings in both", Meant(FRENCH))


# ------------------------------------------------------------------ what gateways and lists add

ABOVE: Final[dict[Tongue, tuple[tuple[str, ...], ...]]] = {
    "en": (
        ("[EXTERNAL]",),
        ("[EXTERNAL EMAIL] DO NOT CLICK links or attachments unless you recognize the sender.",),
        (
            "CAUTION: This email originated from outside of the organization. Do not",
            "click links or open attachments unless you know the content is safe.",
        ),
        ("You don't often get email from max@de.test. Learn why this is important",),
    ),
    "fr": (
        ("ATTENTION : ce courriel provient de l’extérieur de l’organisation.",),
        ("Message externe",),
        ("Vous ne recevez pas souvent de courriers de la part de jeanne@wa.test.",),
    ),
}
BELOW: Final[dict[Tongue, tuple[tuple[str, ...], ...]]] = {
    "en": (
        ("This e-mail is confidential.",),
        (
            "This email and any files transmitted with it are confidential and intended",
            "solely for the use of the individual or entity to whom they are addressed.",
            "If you have received this email in error please notify the system manager.",
        ),
        ("________________________________", "", "CONFIDENTIALITY NOTICE: the contents are for you alone."),
        ("Disclaimer", "", "The information contained in this communication is confidential.", "",
         "This email has been scanned for viruses and malware."),
        ("_______________________________________________", "Fww mailing list -- fww@lists.test",
         "To unsubscribe send an email to fww-leave@lists.test", "https://lists.test/mailman/listinfo/fww"),
        ("You received this message because you are subscribed to the Google Groups “war” group.",
         "To unsubscribe from this group, send an email to war+unsubscribe@groups.test."),
        ("Please consider the environment before printing this email.",),
        ("Virus-free. www.avast.com",),
        ("No virus found in this message.", "Checked by AVG - www.avg.com"),
    ),
    "fr": (
        ("Ce message et toutes les pièces jointes sont confidentiels et établis à l’intention exclusive",
         "de ses destinataires."),
        ("Si vous n’êtes pas le destinataire de ce message, merci de le détruire.",),
        ("Avis de confidentialité", "", "Les informations contenues dans ce courriel sont confidentielles."),
        ("____________________________________", "Liste de diffusion Guerre", "guerre@listes.test"),
        ("Pour vous désabonner de cette liste, écrivez à guerre-unsubscribe@listes.test",),
        ("Pensez à l’environnement avant d’imprimer ce message.",),
        ("Garanti sans virus. www.avast.com",),
    ),
}  # fmt: skip


def footers(writing: Writing) -> Iterator[Form]:
    """Above and below the whole letter, and below the writer's own words."""
    programs = cycle(TWO_FORMS)
    kinds: Iterator[Body] = cycle(("plain", "html", "alternative"))
    for tongue in BOTH:
        for added in BELOW[tongue]:
            for where in ("below", "inside"):
                lines = ORDERS[tongue] if where == "below" else (*ORDERS[tongue], "", *added)
                sent = Sent(writing, next(programs), tongue, lines)
                if where == "below":
                    sent.between((), ("", *added))
                yield sent.form(f"“{added[0][:30]}” {where}", MEANT[tongue], next(kinds))
        for added in ABOVE[tongue]:
            sent = Sent(writing, next(programs), tongue, ORDERS[tongue])
            sent.between(added, ())
            yield sent.form(f"“{added[0][:30]}” above", MEANT[tongue], next(kinds))


# ------------------------------------------------------------------ ornaments, links, armour, signatures

SIGNED: Final = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{}\n-----BEGIN PGP SIGNATURE-----\n\n{}"
SEAL: Final = "iHUEARYIAB0WIQTAfUS6oS0mAAoJEJ1P\n=5Bvx\n-----END PGP SIGNATURE-----"
KEY: Final = SEAL.replace("SIGNATURE", "PUBLIC KEY BLOCK")
NAMED: Final = Meant(ATTACK, words="This line is in your signature")
ALONE: Final = Meant(asks=("below-signature",), then="C1: ATTACK 3")
ORNAMENTS: Final = (
    Row("iPhone", "thumbs", "C1: ATTACK 3 👍\nC2: MOVE 1: DE1 DE2 > 2 ⚔️\n👍", FILED, "plain"),
    Row("Gmail web", "thumbs of some colour",
        "C1: ATTACK 3 👍🏽\nC2: MOVE 1: DE1 DE2 > 2 👨‍👩‍👧", FILED, "html"),
    Row("Samsung", "a smiley", "C1: ATTACK 3 :-)\nC2: MOVE 1: DE1 DE2 > 2 ;)\n\nMax :)", FILED, "plain"),
    Row("Outlook mobile", "keys, stars", "⭐ C1: ATTACK 3️⃣\n⭐ C2: MOVE 1: DE1 DE2 > 2️⃣", FILED, "html"),
    Row("Apple Mail", "arrows", "C1: ATTACK 3 🔥\nC2: MOVE 1: DE1 DE2 ➡️ 2", FILED, "plain"),
    Row("Orange", "drapeaux",
        FRENCH.replace("\n", " 🇫🇷\n") + " 🇫🇷\n\nMerci 🙏", Meant(FRENCH), "plain", "fr"),
    Row("Yahoo", "READY with joy", "READY 🎉", Meant(stance="ready"), "plain"),
    Row("iPhone", "a number with joy", "16 👍", Meant(reply="C1: MOVE 1: DE1 DE2 > 2"), "html"),
    Row("GMX", "days with a beach", "ABSENT 3 Dec - 20 Dec 🏖️", Meant(beyond=("absences",)), "plain"),
    Row("Outlook desktop", "a header taken for a link", BLOCK.replace("T1.R", "T1.R<http://T1.R>"), FILED,
        "plain"),
    Row("Outlook web", "a link of a gateway",
        BLOCK.replace("T1.R", "T1.R<https://eur01.safelinks.test/?url=http%3A%2F%2FT1.R%2F&data=05>"), FILED,
        "plain"),
    Row("mutt", "signed in line", SIGNED.format(ATTACK, SEAL), FILED),
    Row("mutt", "signed in line, a bullet a line",
        SIGNED.format("- - C1: ATTACK 3\n- - C2: MOVE 1: DE1 DE2 > 2\n\n- -- \nMax\nhttps://max.test", SEAL)),
    Row("Thunderbird", "signed in line, our letter below", SIGNED.format(ATTACK, SEAL), FILED, "plain"),
    Row("Proton", "signed, the seal cut off", SIGNED.format(BLOCK, "iHUEARYIAB0WIQTAfUS6oS0mAAoJEJ1P")),
    Row("K-9", "a key below", f"{ATTACK}\n\n-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{KEY}", FILED, "plain"),
    Row("Roundcube", "signé en ligne", SIGNED.format(FRENCH, SEAL), Meant(FRENCH), "plain", "fr"),
    Row("mutt", "READY signed in line", SIGNED.format("READY", SEAL), Meant(stance="ready")),
    Row("Gmail web", "an order in the signature beside others", f"{ATTACK}\n-- \nMax\nC3: ATTACK 4", NAMED,
        "html"),
    Row("Outlook desktop", "an order in the signature", f"{ATTACK}\n-- \nMax\nC3: PASS", NAMED,
        "plain"),
    Row("K-9", "a block, and an order in the signature", f"{BLOCK}\n-- \nC3: ATTACK 4", NAMED, "plain"),
    Row("Thunderbird", "orders in the signature alone", "Hello,\n-- \nC1: ATTACK 3", ALONE, "plain"),
    Row("mutt", "READY, and the orders in the signature", "READY\n-- \nC1: ATTACK 3", ALONE, "plain"),
    Row("Apple Mail", "orders in the signature alone", "-- \nMax\nC1: ATTACK 3", ALONE, "html"),
    Row("Roundcube", "STATUS, and an order in the signature", "STATUS\n-- \nMax\nC1: ATTACK 3",
        Meant(words="This line is in your signature"), "plain"),
    Row("Orange", "un ordre dans la signature", f"{FRENCH}\n-- \nJeanne\nC3 : PASSE",
        Meant(FRENCH, words="Cette ligne se trouve dans votre signature"), "plain", "fr"),
)  # fmt: skip


def ornaments(writing: Writing) -> Iterator[Form]:
    yield from forms(writing, ORNAMENTS)
