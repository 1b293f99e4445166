"""Checks the dice of a campaign:   python3 verify_dice.py FOLDER_OR_FILE ...

Give it letters (.eml, your own copies too), exports (.json) or folders of them, of one player or of several:
all must tell the same. It needs only Python 3.9 or newer. Exit code: 0 all fits, 1 something contradicts,
2 something is unreadable, 3 nothing contradicts, but not all is here: MISSING says what. If you have kept
every letter, what is missing was never sent to you: then ask for it, and believe nothing before.
READ is for you to judge: answers on file that no receipt has confirmed (compare them with what you wrote),
letters of yours that did not count, rolls that no letter tells in words."""
# fmt: off

import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from email import message_from_bytes, policy
from hashlib import sha256
from html import unescape
from itertools import count
from pathlib import Path
from typing import Any

HASH, NUMBER = "[0-9a-f]{64}", "(0|[1-9][0-9]*)"
FORM = r'\{"anchor":"(%s)","beacon":null,"branch":%s,"entries":\{%s\},"prev":"(%s)","t":%s,"v":2\}'
MARK = re.compile(rf"\bmark (\S+) (\d+)\.(\d+) ({HASH})\b(?: answers ({HASH}))?")  # of a receipt
ROLLS = re.compile(r"#(\d+)(?:-(\d+))? ([^\s=]+) = (\d+(?:[ ,]+\d+)*)")  # in words: numbers, label, faces
INNER, OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))
PLACES = {"roll": "p", "shuffle": "pu", "draw": "su", "opening": "ps", "fact": "psu", "answer": "s",
          "ruling": "pu", "branch": "p", "end": "p", "seam": "pu"}  # public, a seat's, umpire's; others: u
ALIKE = {"draw": ("label", "seat", "items", "by"), "shuffle": ("label", "root", "by"), "seam": ("key",),
         "ruling": ("act", "reason")}  # what is told in two places, and must be the same

def need(fits: object, *what: object) -> None:
    if not fits:
        raise ValueError(" ".join(map(str, what)))

def ready(key: bytes) -> tuple[bytes, bytes]:  # for HMAC-SHA256 (RFC 2104), in half the time of `hmac.digest`
    return key.ljust(64, b"\0").translate(INNER), key.ljust(64, b"\0").translate(OUTER)

def H(tag: str, *parts: Any, key: Any = None) -> bytes:  # noqa: N802
    """SHA-256 over tag and parts, each behind its length; with a key HMAC-SHA256 over the same bytes."""
    data = (key[0] if key else b"") + len(tag).to_bytes(2, "big") + tag.encode()
    for part in parts:
        raw = part if type(part) is bytes else part.encode() if type(part) is str else part.to_bytes(4, "big")
        data += len(raw).to_bytes(8, "big") + raw
    return sha256(key[1] + sha256(data).digest()).digest() if key else sha256(data).digest()

def unhex(text: str) -> bytes:
    need(len(text) == 64 and text == text.lower(), "a hash is not 64 digits of lower-case hex")
    return bytes.fromhex(text)

def below(key: Any, tag: str, at: str) -> Callable[[int], int]:  # a number below any limit, all alike
    blocks = (H(tag, at, i, key=key) for i in range(1 << 32))
    words = (int.from_bytes(block[i : i + 4], "big") for block in blocks for i in range(0, 32, 4))
    return lambda limit: next(word for word in words if word < 2**32 - 2**32 % limit) % limit

def faces(key: Any, at: str, dice: int, sides: int) -> list[int]:  # from bytes; above 256 sides from words
    if sides > 256:
        face = below(key, "roll", at)
        return [face(sides) + 1 for _ in range(dice)]
    shown, top = list[int](), 256 - 256 % sides  # from there on low faces would have one chance more
    for i in count():
        for byte in H("roll", at, i, key=key):
            if len(shown) == dice:
                return shown
            if byte < top:
                shown.append(byte % sides + 1)
    return shown

def fallen(key: Any, kind: str, at: str, cards: list[str], dealt: int) -> list[str]:
    """A draw, or a shuffled pile from the top and the root over it, as they must be."""
    cards, index = sorted(cards), below(key, kind, at)
    if kind == "draw":
        return [cards.pop(index(len(cards))) for _ in range(dealt)]
    for last in range(len(cards) - 1, 0, -1):
        other = index(last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    leaves = [H("nonce", at, i, key=key) + i.to_bytes(4, "big") + c.encode() for i, c in enumerate(cards)]
    row = [sha256(b"\0" + leaf).digest() for leaf in leaves] or [sha256().digest()]
    while len(row) > 1:  # the last of an odd row goes up as it is
        twos = [row[i : i + 2] for i in range(0, len(row), 2)]
        row = [sha256(b"\1" + b"".join(pair)).digest() if pair[1:] else pair[0] for pair in twos]
    return [*cards, row[0].hex()]

def is_proved(line: dict[str, Any]) -> bool:  # does an opened card lead to its root?
    here, last = line["position"], line["size"] - 1
    result = sha256(b"\0" + unhex(line["nonce"]) + here.to_bytes(4, "big") + line["card"].encode()).digest()
    for step in map(unhex, line["path"]):
        while here == last and here and here % 2 == 0:
            here, last = here >> 1, last >> 1
        result = sha256(b"\1" + (step + result if here % 2 else result + step)).digest()
        here, last = here >> 1, last >> 1
    return (result.hex(), here, last) == (line["root"], 0, 0)

def serves(old: dict[str, Any], line: dict[str, Any]) -> bool:  # again; a roll perhaps with fewer dice
    cut = {"faces": old.get("faces", [])[: len(line["faces"])], "n": line["n"]} if line["k"] == "roll" else {}
    return {**old, **cut, "by": line["by"]} == line

def form(text: str) -> tuple[list[str], Any]:  # of a label: # is a number, * a name
    parts = re.split("([#*])", text)
    signs = {"#": NUMBER, "*": "(.+?)"}
    return parts, re.compile("".join(signs.get(part) or re.escape(part) for part in parts))

def names_in(value: Any) -> set[str]:  # all texts in what a fact tells
    inner = value.values() if type(value) is dict else value if type(value) is list else ()
    return {value} if type(value) is str else set().union(*map(names_in, inner))

def words_of(part: Any) -> str:  # of a letter's text, or of its HTML form without the tags
    text = str(part.get_content())
    text = unescape(re.sub("<[^>]*>", " ", text)) if part.get_content_subtype() == "html" else text
    return " ".join(text.split())

class Segment:  # the open one as a reader knows it; key None: unknown, for Closes are not here
    def __init__(self, key: Any = "") -> None:
        self.key, self.counts = key, dict[Any, int]()  # last number of each purpose
        self.begun = key is not None  # in our sight, so every number is known

class Course:  # where the campaign stands before a Close: at first at its opening
    def __init__(self, opening: str, header: dict[str, Any]) -> None:
        self.t, self.T, self.head, self.link = 0, opening, H("head", opening).hex(), header["anchor"]
        self.anchor, self.announced = header["anchor"], ""  # of the chain in use, of the one to come
        self.n, self.gap = 0, False  # number of the last roll, -1: unknown; was a Close not here?
        self.branch, self.branches, self.fork = 0, 0, ""  # in use, how many, "same" or "fresh"
        self.open = {place: Segment() for place in "psu"}
        self.following, self.blind = header["labels"]["first"], False  # "": any; are umpire's lines not here?
        self.begun, self.ever = set[str](), dict[Any, set[str]]()  # segments here; on any branch, with names
        self.numbers = dict[str, dict[str, int]]()  # last in segments, those that stand first with the others
        self.names, self.roots = set[str](), set[str]()  # told by facts; of shuffled piles
        self.rolled: list[dict[Any, Any]] = []  # for each Close: reader, label -> line

class Report:  # what the files of one campaign tell, and what does not fit; `code` is the exit code
    def __init__(self, paths: Iterable[Any]) -> None:
        self.lines, self.missing, self.caught, self.unreadable = (list[str]() for _ in range(4))
        self.known: dict[int, dict[str, Any]] = {}  # Close -> field -> value; 0: the opening
        self.full: dict[str, dict[str, list[str]]] = {"mark": {}, "answers": {}}  # by their hash
        self.receipts = defaultdict[Any, set[Any]](set)  # (seat, Close before) -> place, mark, answers
        self.ours, self.owners, self.answered = set[str](), set[str](), dict[str, list[str]]()
        self.words, self.sent, self.invited = list[Any](), dict[str, Any](), False  # own letters, by ID
        self.ends, self.notices = set[int](), ""  # last Closes of letters; words of letters without any
        self.fallen, self.split = dict[int, Any](), dict[str, list[Any]]()  # Close -> rolls; labels, split
        for top in map(Path, paths):
            for path in sorted(top.rglob("*.eml")) + sorted(top.rglob("*.json")) if top.is_dir() else [top]:
                self.attempt(self.unreadable, f"UNREADABLE {path}, no export or letter", self.read, path)
        self.attempt(self.caught if self.known else self.unreadable, "CHECK", self.check)
        for told in (self.lines, self.missing, self.caught):  # what was gone through again is told once
            told[:] = dict.fromkeys(told)
        self.code = 1 if self.caught else 2 if self.unreadable else 3 if self.missing else 0

    def attempt(self, errors: list[str], what: object, check: Callable[..., None], *args: Any) -> None:
        try:
            check(*args)
        except Exception as error:  # whatever a forger writes must end as a line of the report
            errors.append(f"{what}: {error if isinstance(error, (ValueError, OSError)) else repr(error)}")

    def read(self, path: Path) -> None:
        texts, bodies, self.times = [path.read_bytes()], list[str](), {-1}
        if path.suffix.lower() == ".eml":
            parts = [*(letter := message_from_bytes(texts[0], policy=policy.default)).walk()]
            texts = [p.get_content() for p in parts if str(p.get_filename()).startswith("audit")]
            texted = [p for p in parts if p.get_content_maintype() == "text" and not p.get_filename()]
            plain = " ".join(bodies := [words_of(p) for p in texted])
            if str(letter["Auto-Submitted"] or "no").lower() == "no" and not texts:  # the reader's own
                name = str(letter["Message-ID"]).strip()
                self.sent[name] = str(letter["To"]).lower(), plain.replace(" ", "")
                return
            addresses = f"{letter['From']} {letter['Reply-To']}".lower()
            self.ours.update(re.findall(r"[^\s<>]+@[^\s<>]+", addresses))
            for name in f"{letter['In-Reply-To']} {letter['References']}".split():
                self.answered.setdefault(name, []).extend(found[1] for found in MARK.findall(plain))
            self.notices += "" if texts else plain.replace(" ", "")
        for doc in map(json.loads, texts):
            need(type(doc) is dict and "format" in doc, 'it does not name its "format"')
            self.attempt(self.caught, f"FILE {path}", self.take, doc, " ".join(bodies))
        self.words += [(path.name, self.times, text) for text in bodies]
        self.ends.add(max(self.times))

    def take(self, doc: dict[str, Any], plain: str) -> None:  # what files tell of one Close is put together
        need(doc["format"] == "pbem audit 2", "an unknown form:", doc["format"])
        need({*doc} - {"K"} == {"format", "open", "reader", "closes"}, "an unknown form")
        reader, opening = doc["reader"], json.loads(doc["open"])
        seats = opening["seats"] if "K" in doc else [seat for seat in opening["seats"] if seat == reader]
        need(reader == ("umpire" if "K" in doc else "") or seats == [reader], "no reader of this campaign")
        must = {f"{name} {seat}" for seat in seats for name in ("entry", "k", "private")}
        must |= {"k umpire", "private umpire"} if "K" in doc else set()
        self.owners |= {*seats} & {reader}
        if plain and not doc["closes"]:
            self.invited = True
            need({opening["anchor"], opening["seal"]} <= {*re.findall(HASH, plain)}, "other words")
        self.join(0, {name: doc[name] for name in ("open", "K") if name in doc})
        times = [int(close["T"].rpartition('"t":')[2].partition(",")[0]) for close in doc["closes"]]
        self.times |= {*times} if "K" not in doc else set()
        for t, close in zip(times, doc["closes"]):  # noqa: B905
            own = {name for name in close if name.startswith(("entry ", "k ", "private "))}
            need(t > 0 and own == must, "not the parts of its reader: Close", t)
            for entry in [close[name] for name in own if name.startswith("entry ")]:
                for i, part in enumerate(entry):  # in full, or only its hash
                    if type(part) is not str:
                        need(part[0] == "mark" if i else part[0] == "answers", "not a mark or answers:", part)
                        need(not i or len(part) == 4, "a mark has three parts:", part)
                        entry[i] = H(*(text + "" for text in part)).hex()
                        self.full[part[0]][entry[i]] = part[1:]
            self.join(t, close)

    def join(self, t: int, close: dict[str, Any]) -> None:
        for name, told in close.items():
            need(self.known.setdefault(t, {}).setdefault(name, told) == told, "files differ on", name, t)

    def check(self) -> None:
        need(self.known, "no audit.json was found")
        self.first = self.known.pop(0)
        self.header = json.loads(self.first["open"])
        self.seats, labels = self.header["seats"], self.header["labels"]
        need(self.header["v"] == 2, "this checker does not know version", self.header["v"])
        self.segments, self.purposes = ([*map(form, labels[kind])] for kind in ("segments", "purposes"))
        entries = ",".join(f'{re.escape(json.dumps(seat))}:"({HASH})"' for seat in sorted(self.seats))
        self.form = re.compile(FORM % (HASH, NUMBER, entries, HASH, NUMBER))
        self.K = ready(unhex(self.first["K"])) if "K" in self.first else None
        seal = H("seal", unhex(self.first["K"])).hex() if self.K else self.header["seal"]
        need(seal == self.header["seal"], "open commits to another K")
        for seat, close, *told in (found for *_, plain in self.words for found in MARK.findall(plain)):
            self.receipts[seat, int(close)].add((int(told[0]), *told[1:]))
            self.owners.add(seat)
        told = [text for close in self.known.values() for text in close.values() if type(text) is str]
        self.again = any('"recorded"' in text for text in told)  # else it costs time to remember rolls
        self.go_through(sorted(self.known))
        self.unread = {n for fell in self.fallen.values() for n in fell}
        for name, times, plain in self.words:
            for shown in ROLLS.findall(plain):
                self.attempt(self.caught, f"CAUGHT {name}", self.check_words, name, times, *shown)
        self.check_letters()
        self.lines += [f"READ {len(self.unread)} rolls that no letter here tells in words: "
                       f"#{', #'.join(map(str, sorted(self.unread)[:9]))}"] * bool(self.unread)
        self.missing += ["MISSING the invitation"] * bool(self.words and not self.invited)
        self.lines += ["What is hidden is published at the end: it is not checked yet"] * (not self.K)
        self.lines.append(f"{len(self.known)} Closes, rolls up to #{self.now.n}, caught: {len(self.caught)}")

    def check_letters(self) -> None:  # those that the reader sent, and those that answered
        marks = {name: salt for name, _, salt in self.full["mark"].values()}
        for name, (to, text) in self.sent.items():
            if name in marks and "".join(marks[name].split()) not in text:
                self.missing.append(f"MISSING in your copy of {name}: SALT {marks[name]}")
            if name in marks or not any(one in to for one in self.ours):
                continue
            if name not in self.answered:
                self.missing.append(f"MISSING an answer to your letter {name}")
            elif all(int(t) < self.now.t for t in self.answered[name]):  # none for the window open now
                self.lines.append(f"READ your letter {name} is in no entry that is here")
        last = max([0, *(t for _, t in self.receipts)])
        self.missing += [f"MISSING Close {self.now.t + 1} to {last}"] * (last > self.now.t)

    def go_through(self, closes: list[int]) -> None:
        self.now, self.closes = Course(self.first["open"], self.header), list[int]()
        for t in closes:
            close = self.known[t]
            self.attempt(self.caught, f"CAUGHT Close {t}", self.check_close, t, close)
            self.now.t, self.now.T, self.now.head, self.now.link = t, close["T"], close["head"], close["link"]
            self.closes.append(t)

    def follow(self, t: int, anchor: str, branch: int, prev: str, given: list[Any]) -> bool:
        """Is it the next Close, with the next link? False: Closes between are not here, so less is known."""
        if given and given[0][0] <= self.now.t and given[0][0] - 1 in [0, *self.closes]:
            self.lines.append(f"Close {given[0][0]} to {self.now.t}: did not happen, a backup was restored")
            self.go_through([n for n in self.closes if n < given[0][0]])
        now, linked = self.now, prev == sha256(self.now.T.encode()).hexdigest()
        self.lines += [f"Close {t}: links {first} to {last} before it given up" for first, last in given]
        due = [now.t + 1, *(last + 1 for _, last in given)]  # each range begins where the one before ends
        need(linked or t > now.t + 1, "it does not follow the Close before it")
        need(not linked or [*(first for first, _ in given), t] == due, "links skipped, by no ruling given up")
        if not linked:
            self.missing.append(f"MISSING Close {now.t + 1} to {t - 1}")
            now.following, now.n, now.gap, now.branch = "", -1, True, branch
            now.branches, now.begun, now.numbers = max(now.branches, branch), set(), {}
            now.open = {place: Segment(None) for place in "psu"}
        if not linked and anchor != (now.announced or now.anchor):
            self.missing.append(f"MISSING the letter that announced the chain of Close {t}")
            return False
        need(anchor == (now.announced or now.anchor), "its anchor was not announced before")
        if now.announced and self.words and now.t not in self.ends and anchor not in self.notices:
            self.missing.append(f"MISSING a letter that announced the chain of Close {t} before it")
        link = unhex(self.known[t]["link"])
        for _ in range(min(t - now.t, 65536)):
            link = H("chain", link)
        need(link.hex() == (now.announced or now.link), "its link does not lead to the anchor")
        return linked

    def check_close(self, t: int, c: dict[str, Any]) -> None:
        public, digest = json.loads(c["P"]), sha256(c["T"].encode()).digest()
        parts: Any = self.form.fullmatch(c["T"])
        need(parts, "a malformed transcript")
        anchor, number, *blinded, prev, _ = parts.groups()
        branch, entries = int(number), dict(zip(sorted(self.seats), blinded))  # noqa: B905
        need(public["T"] == digest.hex(), "its public record belongs to another transcript")
        readers, whole, sent = [*self.seats, "umpire"], "k umpire" in c, 0
        kinds = defaultdict[str, list[Any]](list)
        for line in public["lines"]:
            kinds[line["k"]].append(line)
        begun, rulings = kinds["seam"], kinds["ruling"]
        given = [x["data"]["links"] for x in rulings if x["act"] == "restore" and x["data"].get("links")]
        linked = self.follow(t, anchor, branch, prev, given)
        now, self.digest, anchors = self.now, digest, [x["data"] for x in rulings if "anchor" in x["data"]]
        now.anchor, now.announced = anchor, anchors[-1]["anchor"] if anchors else ""
        told = [("p", "", line) for line in public["lines"]]
        head = H("head", unhex(now.head), c["P"], *[unhex(c["seal " + reader]) for reader in readers])
        need(head.hex() == c["head"] or not linked, "its head is not over its records")
        for reader in [reader for reader in readers if "k " + reader in c or "private " + reader in c]:
            place = "u" if reader == "umpire" else "s"
            told += [(place, reader, line) for line in self.opened(t, c, reader, entries)]
            if reader != "umpire":
                marks = c["entry " + reader][1:]
                need(not marks or reader in public["held"], "marks of a seat that nobody held:", reader)
                if linked and self.words:  # an export has no receipts
                    self.check_entry(t, reader, c["entry " + reader], rulings)
                sent += len(marks)
        lost = [owner for owner in self.owners if self.words and "entry " + owner not in c]
        self.missing += [f"MISSING the own part of {owner}, Close {t}" for owner in lost]
        self.lines += [f"Close {t}: {note}" for note in public["marks"]]
        self.forced = [face for x in rulings if x["act"] == "force-dice" for face in x["data"]["faces"]]
        self.seed, self.untold = ready(H("seed", digest, key=ready(unhex(c["link"])))), dict[str, int]()
        self.rolls = self.fallen[t] = {}
        now.rolled.append({})
        facts = {*self.seats, *names_in([fact["data"] for fact in kinds["fact"]])}
        now.names |= facts
        self.sight = {now.open["p"].key, *(line["key"] for line in begun)}
        if self.K and not whole:
            self.missing.append(f"MISSING what was published of Close {t}")
            now.open["u"], now.blind = Segment(None), True
        touched = sum([self.check_line(*one) for one in told]) > 0
        now.names = facts | now.ever.get(now.open["p"].key, set()) if begun else now.names
        for mark, true, known in (("TOUCHED", touched, touched), ("UNSALTED", not sent, sent)):
            need((mark in public["marks"]) == true or not (whole or known), mark, "is told wrongly")
        need(not (whole and any(self.untold.values())), "the umpire's lines tell otherwise:", self.untold)
        need(branch == now.branch, "its branch was not announced")

    def opened(self, t: int, c: dict[str, Any], reader: str, entries: dict[str, str]) -> list[Any]:
        """The private lines of a reader. The seal fits, and a seat's entry is the one in the transcript."""
        private, raw = c["private " + reader], unhex(c["k " + reader])
        need(not self.K or raw == H("seat", t, reader, key=self.K), "not made from K: the key of", reader)
        key = ready(raw)
        need(H("private", private, key=key).hex() == c["seal " + reader], "broken: the seal of", reader)
        if reader != "umpire":
            entry = H("entry", H("entry", *map(unhex, c["entry " + reader])), key=key)
            need(entry.hex() == entries[reader], "not that of the transcript: the entry of", reader)
        return json.loads(private) if private != "[]" else []

    def check_entry(self, t: int, seat: str, entry: list[str], rulings: list[Any]) -> None:
        """What receipts promised: each mark in its place, and what was on file after the last letter."""
        (answers, *marks), filed, receipted = entry, set[str](), set[str]()
        restored = any(ruling["act"] == "restore" for ruling in rulings)
        meddled = [ruling for ruling in rulings if ruling["act"] in ("answer-for", "replace")]
        excused = restored or any(ruling["data"].get("seat") == seat for ruling in meddled)
        for place, mark, after in self.receipts[seat, self.now.t]:
            if restored and mark not in marks:
                self.lines.append(f"Close {t}: the letter with mark {mark} was lost with the backup")
            elif not restored:
                need(marks[place - 1 : place] == [mark], "not as receipted: the entry of", seat)
            receipted.add(mark)
            filed |= {after} if after and marks[-1:] == [mark] else set()
        need(answers in filed or not filed or excused, "not as receipted: what was on file for", seat)
        if seat in self.owners:
            full = self.full["mark"]
            names = [full.get(mark, ["of somebody else"])[0] for mark in marks if mark not in receipted]
            self.missing += [f"MISSING receipt or copy of a letter of {seat}, Close {t}: {name}"
                             for name in names if name not in self.sent]
            texts = self.full["answers"].get(answers)
            if texts is None and not filed:
                self.missing.append(f"MISSING what was on file for {seat}, Close {t}")
            start, end = ("", "as receipted") if answers in filed else ("READ ", "not receipted")
            if texts:
                self.lines.append(f"{start}Close {t}, on file for {seat} {end}: {' | '.join(texts)}")

    def taken_apart(self, forms: list[Any], text: str) -> list[tuple[str, str, str]]:
        """Of a label, by the form that it has: each # or *, what stands before it, and what it stands for."""
        if text not in self.split:
            found = [(parts, one.fullmatch(text)) for parts, one in forms]
            self.split[text] = [[*zip(p[1::2], p[::2], m.groups())] for p, m in found if m]  # noqa: B905
        for signs in self.split[text]:
            names = {value for sign, _, value in signs if sign == "*"}
            if names <= self.now.names or self.now.gap:
                return list(signs)
        raise ValueError(f"no word of this game's labels, or a name that no fact tells: {text}")

    def check_seam(self, key: str) -> None:  # which segment begins: it follows from the one before
        now, rose, past = self.now, False, key if key in self.now.ever else key.rpartition(".B")[0]
        now.names |= now.ever.get(past, set()) if now.following == "past" else set()
        signs = self.taken_apart(self.segments, key)
        parts = [(re.sub(".*[^A-Z]", "", before), int(value)) for sign, before, value in signs if sign == "#"]
        if parts and parts[-1][0] == "B":  # a pile is shuffled anew after a fork
            need(parts.pop()[1] == now.branch and now.following == "past", "not of this fork:", key)
        first = parts[:1]
        told = now.numbers.get(first[0][0], {}) if first else {}
        for name, number in parts:
            last = 0 if rose else told.get(name, 0)  # after one that rose the others begin again
            free = now.following or (not rose and name not in told and (now.branches or now.gap))
            need(free or number == last + 1 or number == last > 0, "a number skipped:", key)
            rose = rose or not (free or number == last)
        for name, number in first:
            now.numbers[name] = {**(told if told.get(name) == number else {}), **dict(parts)}
        again = now.following == "past" and (past in now.ever or now.gap)
        need(now.following in ("", key) or again, "not the segment that follows:", key)
        need(key not in now.begun, "a segment begins twice:", key)
        now.following, now.open["p"], now.open["s"] = "", Segment(key), Segment(key)
        now.begun.add(key)
        now.ever[key] = {value for sign, _, value in signs if sign == "*"}

    def check_label(self, at: str, kind: str, place: str, reader: str) -> None:
        (segment, purpose, n, what), open_ = at.rsplit("/", 3), self.now.open[place]
        name = reader, segment, purpose, what
        if name not in open_.counts:
            self.taken_apart(self.purposes, f"{purpose}/{what}")
            need(what == kind or (kind == "roll" and what[1:].isdigit()), "another kind of label:", at)
        last = open_.counts.get(name, 0)
        open_.counts[name] = number = last + 1
        if place == "s":  # of what is hidden a seat knows its own part: the number is higher
            need(segment in self.sight or None in self.sight, "not of an open segment:", at)
        elif segment != open_.key:
            need(open_.key is None, "not of the open segment:", at)
            self.taken_apart(self.segments, segment)
            open_.key = segment
        if n != str(number):
            open_.counts[name] = int(n)
            free = place == "s" or not (last or open_.begun)
            need(free and int(n) > last and n == str(int(n)), "a number skipped:", at)

    def check_line(self, place: str, reader: str, line: dict[str, Any]) -> bool:
        """True: the umpire had a hand in it."""
        now, kind, by = self.now, line["k"], line.get("by")
        is_here = place in PLACES.get(kind, "u") and (place != "s" or line.get("seat", reader) == reader)
        need(is_here, "a line in another's place:", line)
        if self.K and kind in ALIKE:
            told = str([kind, *(line[name] for name in ALIKE[kind])])
            self.untold[told] = self.untold.get(told, 0) + (-1 if place == "u" else 1)
        if kind in ("roll", "draw", "shuffle"):
            self.check_label(line["label"], kind, place, reader)
            self.check_dice(line, kind, line["label"], reader)
        elif kind == "seam" and reader:
            now.open["u"] = Segment(line["key"])
        elif kind == "seam":
            self.check_seam(line["key"])
        elif kind == "opening":
            need((now.gap or line["root"] in now.roots) and is_proved(line), "a card without proof:", line)
        elif kind == "branch":
            fits = now.gap or (line["n"], line["from"]) == (now.branches + 1, now.branch)
            need(fits, "no new branch:", line)
            now.branch = now.branches = line["n"]
            now.following, now.fork, now.open["p"] = "past", line["dice"], Segment()
            now.begun, now.numbers = set(), {}
        return kind in ("ruling", "branch") or by in ("recorded", "umpire" if kind == "answer" else "forced")

    def check_dice(self, line: dict[str, Any], kind: str, at: str, reader: str) -> None:
        now, source = self.now, "audited"
        if kind == "roll":
            told, sides = line["faces"], line["sides"]
            laid = self.forced and self.forced[: len(told)]
            need(told and now.n in (-1, line["n"] - 1) and at.endswith(f"/d{sides}"), "out of order:", line)
            now.n = line["n"]
            if self.words:
                self.rolls[now.n] = at, told
            if line["by"] != "recorded" and laid:  # faces laid down that do not fit lapse
                fits = len(laid) == len(told) and all(1 <= face <= sides for face in laid)
                self.forced, source = (self.forced[len(told) :], "forced") if fits else ([], source)
            must = laid if source == "forced" else faces(self.seed, at, len(told), sides)
        else:
            told = line["items"] if kind == "draw" else [*line.get("order", ()), line["root"]]
            now.roots |= {line["root"]} if not reader else set()
            must = told  # hidden until the end
            if reader == "umpire":
                cards = line["from"] if kind == "draw" else line["order"]
                must = fallen(ready(H("sealed", self.digest, key=self.K)), kind, at, cards, len(told))
        if line["by"] == "recorded":
            past = [old[reader, at] for old in now.rolled if (reader, at) in old]
            lost = not past and (now.gap or (now.blind and reader == "umpire"))
            self.missing += [f"MISSING the Close whose roll serves again as {at}"] * lost
            need(now.gap or now.fork == "same", "recorded, on a branch of fresh dice:", line)
            need(lost or any(serves(old, line) for old in past), "not on record:", line)
        else:
            need(line["by"] == source and told == must, at, "must be", source, must, "but is told as", line)
        need((reader, at) not in now.rolled[-1], "a label twice:", at)
        now.rolled[-1][reader, at] = line if self.again else None

    def check_words(self, letter: str, times: set[int], first: str, last: str, name: str, shown: str) -> None:
        """What a letter tells in words, of its own Closes, or else of any: one roll, or those of a battle."""
        numbers, told = range(int(first), int(last or first) + 1), [*map(int, re.findall("[0-9]+", shown))]
        closes = {t: [fell[n] for n in numbers] for t, fell in self.fallen.items() if {*numbers} <= {*fell}}
        closes = {t: rolls for t, rolls in closes.items() if t in times} or closes
        self.unread -= {*numbers}
        self.missing += [f"MISSING roll #{first} of {letter}"] * (not closes)
        fits = [[face for _, some in rolls for face in some] == told for rolls in closes.values()
                if all(name == (at.rsplit("/", 3)[0] if last else at) for at, _ in rolls)]
        need(any(fits) or not closes, f"its words tell #{first} otherwise:", name, shown)

verify = Report
if __name__ == "__main__":
    found = verify(sys.argv[1:])
    print(*found.lines, *found.missing, *found.caught, *found.unreadable, sep="\n")
    sys.exit(found.code)
