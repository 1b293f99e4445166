"""Checks the dice of a campaign:   python3 verify_dice.py FOLDER_OR_FILE ...

Give it letters (.eml with their audit.json), exports (.json) or folders of them, of one player or of several:
all must tell the same. It needs only Python 3.9 or newer. Exit code: 0 all fits, 1 something contradicts,
2 something is unreadable, 3 nothing contradicts, but not all is here: MISSING says what. If you have kept
every letter, what is missing was never sent to you: then ask for it, and believe nothing before."""
# fmt: off

import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from email import message_from_bytes, policy
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

WORDS = ("segments", "purposes")
FORM = '{"anchor":"%%s","beacon":null,"branch":%%d,"entries":{%s},"prev":"%%s","t":%%d,"v":2}'
MARK = re.compile(r"\bmark (\S+) (\d+)\.(\d+) ([0-9a-f]{64})\b")  # of a receipt: seat, Close before, place
SHOWN = re.compile(r"#(\d+)(?:-(\d+))? ([^\s=]+) = (\d+(?:[ ,]+\d+)*)")  # of a letter: rolls and their faces
INNER, OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))
FACES = [b"", *((bytes(range(1, n + 1)) * 256)[:256] for n in range(1, 256)), bytes(range(1, 256)) + b"\0"]
REFUSED = [b"", *(bytes(range(256 - 256 % n, 256)) for n in range(1, 257))]  # so that all faces are alike
def need(fits: object, *what: object) -> None:
    if not fits:
        raise ValueError(" ".join(map(str, what)))
def ready(key: bytes) -> tuple[bytes, bytes]:  # for HMAC-SHA256 (RFC 2104), in half the time of `hmac.digest`
    return key.ljust(64, b"\0").translate(INNER), key.ljust(64, b"\0").translate(OUTER)
def H(tag: str, *parts: Any, key: Any = None) -> bytes:  # noqa: N802
    """SHA-256 over tag and parts, each behind its length; with a key HMAC-SHA256 over the same bytes."""
    data = (key[0] if key else b"") + len(tag).to_bytes(2, "big") + tag.encode()
    for part in parts:
        raw = part.encode() if type(part) is str else part.to_bytes(4, "big") if type(part) is int else part
        data += len(raw).to_bytes(8, "big") + raw
    return sha256(key[1] + sha256(data).digest()).digest() if key else sha256(data).digest()
def pattern(text: str) -> tuple[list[str], Any]:  # of a label: # is a number, * a name
    parts = re.split("([#*])", text)
    number = {"#": "(0|[1-9][0-9]*)", "*": "(.+?)"}
    return parts, re.compile("".join(number.get(part) or re.escape(part) for part in parts))
def names_in(value: Any) -> set[str]:  # all texts in what a fact tells
    inner = value.values() if type(value) is dict else value if type(value) is list else ()
    return {value} if type(value) is str else set().union(*map(names_in, inner))
def unhex(text: str) -> bytes:
    need(len(text) == 64 and text == text.lower(), "a hash is not 64 digits of lower-case hex")
    return bytes.fromhex(text)
def below(key: Any, tag: str, at: str) -> Callable[[int], int]:  # from words: a number below any limit
    blocks = (H(tag, at, i, key=key) for i in range(1 << 32))
    words = (int.from_bytes(block[i : i + 4], "big") for block in blocks for i in range(0, 32, 4))
    return lambda limit: next(word for word in words if word < 2**32 - 2**32 % limit) % limit
def faces(key: Any, at: str, dice: int, sides: int) -> list[Any]:  # from bytes for up to 256 sides
    if sides > 256:
        face = below(key, "roll", at)
        return [face(sides) + 1 for _ in range(dice)]
    text, shown, i = at.encode(), b"", 0
    data = key[0] + b"\0\4roll" + len(text).to_bytes(8, "big") + text + b"\0\0\0\0\0\0\0\4"
    while len(shown) < dice:
        block = sha256(key[1] + sha256(data + i.to_bytes(4, "big")).digest()).digest()
        shown, i = shown + block.translate(FACES[sides], REFUSED[sides]), i + 1
    return [*shown[:dice]] if sides < 256 else [face or 256 for face in shown[:dice]]
def fallen(key: Any, kind: str, at: str, cards: list[str], count: int) -> list[Any]:  # as it must be
    cards, index = sorted(cards), below(key, kind, at)
    if kind == "draw":
        return [cards.pop(index(len(cards))) for _ in range(count)]
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
def beginning(opening: str, header: dict[str, Any]) -> SimpleNamespace:  # what is known before Close 1
    told = {"t": 0, "T": opening, "head": H("head", opening).hex(), "link": header["anchor"], "gap": False}
    chain = {"anchor": header["anchor"], "announced": "", "n": 0, "branch": 0, "branches": 0, "fork": ""}
    labels = {"seam": "", "following": header["labels"]["first"], "begun": set(), "ever": set()}
    sets = {"names": set[str](), "roots": set[str]()}
    return SimpleNamespace(**told, **chain, **labels, **sets, numbers={}, counts={}, past=[])
class Report:  # what the files of one campaign tell, and what does not fit; `code` is the exit code
    def __init__(self, paths: Iterable[Any]) -> None:
        self.lines, self.missing, self.caught, self.unreadable = (list[str]() for _ in range(4))
        self.known: dict[int, dict[str, Any]] = {}  # Close -> field -> value; 0: the opening
        self.receipts = defaultdict[Any, list[Any]](list)  # (seat, Close before) -> places and marks
        self.ours, self.answered, self.owners = (set[str]() for _ in range(3))  # addresses, letters, readers
        self.letters, self.invited = dict[str, str](), False  # mark -> Message-ID; is the invitation here?
        self.texts, self.sent, self.fallen = (list[Any]() for _ in range(3))  # words, own letters, rolls
        self.split, self.states = dict[str, list[Any]](), dict[int, SimpleNamespace]()
        for top in map(Path, paths):
            for path in sorted(top.rglob("*.eml")) + sorted(top.rglob("*.json")) if top.is_dir() else [top]:
                self.attempt(self.unreadable, f"UNREADABLE {path}, no export or letter", self.read, path)
        self.attempt(self.caught if self.known else self.unreadable, "CHECK", self.check)
        self.code = 1 if self.caught else 2 if self.unreadable else 3 if self.missing else 0
    def attempt(self, errors: list[str], what: object, check: Callable[..., None], *args: Any) -> None:
        try:
            check(*args)
        except Exception as error:  # whatever a forger writes must end as a line of the report
            errors.append(f"{what}: {error if isinstance(error, (ValueError, OSError)) else repr(error)}")
    def read(self, path: Path) -> None:
        texts, plain = [path.read_bytes()], ""
        if path.suffix.lower() == ".eml":
            parts = [*(letter := message_from_bytes(texts[0], policy=policy.default)).walk()]
            texts = [p.get_content() for p in parts if str(p.get_filename()).startswith("audit")]
            if str(letter["Auto-Submitted"] or "no").lower() == "no" and not texts:  # the reader's own
                self.sent.append((str(letter["Message-ID"]).strip(), str(letter["To"]).lower()))
                return
            addresses = f"{letter['From']} {letter['Reply-To']}".lower()
            self.ours.update(re.findall(r"[^\s<>]+@[^\s<>]+", addresses))
            self.answered |= set(f"{letter['In-Reply-To']} {letter['References']}".split())
            bodies = [p for p in parts if p.get_content_type() == "text/plain" and not p.get_filename()]
            plain = " ".join(" ".join(p.get_content() for p in bodies).split())
            self.texts.append((path, plain))
        for doc in map(json.loads, texts):
            need(type(doc) is dict and "format" in doc, 'it does not name its "format"')
            self.attempt(self.caught, f"FILE {path}", self.take, doc, plain.replace(" ", ""))
    def take(self, doc: dict[str, Any], plain: str) -> None:
        need(doc["format"] == "pbem audit 2", "an unknown form:", doc["format"])
        need({*doc} - {"K"} == {"format", "open", "reader", "closes"}, "an unknown form")
        reader, closes, opening = doc["reader"], doc["closes"], json.loads(doc["open"])
        if plain and not closes:
            self.invited = True
            need({opening["anchor"], opening["seal"]} <= {*re.findall("[0-9a-f]{64}", plain)}, "other words")
        self.owners |= {reader} & {*opening["seats"]}
        own = {f"{name} {reader}" for name in ("entry", "k", "private") if reader in opening["seats"]}
        first = {name: doc[name] for name in ("open", "K") if name in doc}
        for close in [first, *closes]:
            t = int(close["T"].rpartition('"t":')[2].partition(",")[0]) if close is not first else 0
            must = own | ({"k umpire"} if "K" in doc else set())
            need(close is first or (t > 0 and must <= {*close}), "a part was left out of Close", t)
            for told in [close[name] for name in close if name[:5] == "entry"]:  # in full or as hashes
                for i, x in enumerate(told):
                    told[i] = x if type(x) is str else H(*(part + "" for part in x)).hex()
                    self.letters.update({told[i]: x[1]} if i and type(x) is list else {})
            for name, told in close.items() if self.known.setdefault(t, close) is not close else ():
                need(self.known[t].setdefault(name, told) == told, "files differ on", name, t)
    def check(self) -> None:
        need(self.known, "no audit.json was found")
        first = self.known.pop(0)
        self.seats = (header := json.loads(first["open"]))["seats"]
        for seat, close, place, mark in (m for _, plain in self.texts for m in MARK.findall(plain)):
            self.receipts[seat, int(close)].append((int(place), mark))
        need(header["v"] == 2, "this checker does not know version", header["v"])
        self.now, self.readers = beginning(first["open"], header), [*self.seats, "umpire"]
        self.segments, self.purposes = ([*map(pattern, header["labels"][k])] for k in WORDS)
        self.K = ready(unhex(first["K"])) if "K" in first else None
        need(not self.K or H("seal", unhex(first["K"])).hex() == header["seal"], "open commits to another K")
        seats = [json.dumps(name).replace("%", "%%") + ':"%s"' for name in sorted(self.seats)]
        self.form, words = FORM % ",".join(seats), str(self.known)
        self.again, restored = '"recorded"' in words, '"restore"' in words
        for t, close in sorted(self.known.items()):
            self.states.update({self.now.t: deepcopy(self.now)} if restored else {})
            self.attempt(self.caught, f"CAUGHT Close {t}", self.check_close, t, close)
            self.now.t, self.now.T, self.now.head, self.now.link = t, close["T"], close["head"], close["link"]
        for path, shown in ((path, shown) for path, plain in self.texts for shown in SHOWN.findall(plain)):
            self.attempt(self.caught, f"CAUGHT {path}", self.check_text, path, *shown)
        told = self.answered.union(self.letters.values())
        lost = [name for name, to in self.sent if name not in told and any(one in to for one in self.ours)]
        self.missing += [f"MISSING an answer to your letter {name}" for name in lost]
        self.missing += ["MISSING the invitation"] * bool(self.texts and not self.invited)
        self.lines.append(f"{len(self.known)} Closes, rolls up to #{self.now.n}, caught: {len(self.caught)}")
    def follow(self, t: int, anchor: str, branch: int, prev: str, given: list[Any]) -> bool:  # after which
        if given and given[0][0] - 1 in self.states and given[0][0] <= self.now.t:
            self.lines.append(f"Close {given[0][0]} to {self.now.t}: did not happen, a backup was restored")
            self.now = deepcopy(self.states[given[0][0] - 1])
        now, steps = self.now, t - self.now.t
        linked, due = prev == sha256(now.T.encode()).hexdigest(), now.t + 1
        need(linked or steps > 1, "it does not follow the Close before it")
        for first, last in given if linked else ():
            need(first == due <= last, "links given up without their range")
            due = last + 1
            self.lines.append(f"Close {t}: links {first} to {last} before it given up")
        need(not linked or t == due, "links before it were skipped, and no ruling gives them up")
        chain, link = now.announced or now.anchor, unhex(self.known[t]["link"])
        if not linked:
            self.missing += [f"MISSING Close {now.t + 1} to {t - 1}"]
            now.seam, now.following, now.n, now.gap, now.branch = "", "", -1, True, branch
            now.branches, now.begun, now.numbers, now.counts = max(now.branches, branch), set(), {}, {}
            if anchor != chain:
                self.missing += [f"MISSING the letter that announced the chain of Close {t}"]
                return False
        need(anchor == chain, "its anchor was not announced before")
        for _ in range(min(steps, 65536)):
            link = H("chain", link)
        need(link.hex() == (now.announced or now.link), "its link does not lead to the anchor")
        return linked
    def check_entry(self, t: int, seat: str, marks: list[str], restored: bool, linked: bool) -> None:
        got, kept = (self.receipts[seat, self.now.t] if linked else []), dict(self.sent)
        for place, mark in got:
            lost = restored and mark not in marks
            self.lines += [f"Close {t}: the letter with mark {mark} was lost with the backup"] * lost
            need(restored or marks[place - 1 : place] == [mark], "not as receipted: the entry of", seat)
        if seat in self.owners and self.texts and linked:  # a letter that ends a window: its copy serves
            known = {mark for _, mark in got}.union(m for m in marks if self.letters.get(m) in kept)
            names = [self.letters.get(mark, "of somebody else") for mark in marks if mark not in known]
            self.missing += [f"MISSING receipt or copy of a letter of {seat}, Close {t}: {n}" for n in names]
    def check_close(self, t: int, c: dict[str, Any]) -> None:
        public, digest = json.loads(c["P"]), sha256(c["T"].encode()).digest()
        anchor, _, branch, entries, prev, *_ = json.loads(c["T"]).values()
        need(self.form % (anchor, branch, *entries.values(), prev, t) == c["T"], "a malformed transcript")
        rulings = [line for line in public["lines"] if line["k"] == "ruling"]
        given = [ruling["data"]["links"] for ruling in rulings if ruling["data"].get("links")]
        linked = self.follow(t, anchor, branch, prev, given)
        now, lines, sent, whole = self.now, public["lines"][:], 0, "k umpire" in c
        self.lines += [f"Close {t}: {note}" for note in public["marks"]]
        head = H("head", unhex(now.head), c["P"], *[unhex(c["seal " + r]) for r in self.readers])
        need(head.hex() == c["head"] or not linked, "its head is not over its records")
        need(public["T"] == digest.hex(), "its public record belongs to another transcript")
        for r in [r for r in self.readers if "k " + r in c or "private " + r in c]:
            raw = H("seat", t, r, key=self.K) if self.K else unhex(c["k " + r])
            key, private = ready(raw), c["private " + r]
            need(raw.hex() == c["k " + r], "not made from K: the key of", r)
            need(H("private", private, key=key).hex() == c["seal " + r], "broken: the seal of", r)
            lines += json.loads(private) if private != "[]" else []
            if r != "umpire":
                answers, *marks = c["entry " + r]
                entry = H("entry", H("entry", *map(unhex, (answers, *marks))), key=key).hex()
                need(entry == entries[r], "not that of the transcript: the entry of", r)
                need(not marks or r in public["held"], "marks of a seat that nobody held:", r)
                self.check_entry(t, r, marks, any(ruling["act"] == "restore" for ruling in rulings), linked)
                sent += len(marks)
        lost = [r for r in self.owners if self.texts and "entry " + r not in c]
        self.missing += [f"MISSING the own part of {r}, Close {t}" for r in lost]
        anchors = [x["data"]["anchor"] for x in rulings if "anchor" in x["data"]]
        now.anchor, now.announced = anchor, anchors[-1] if anchors else ""
        self.forced = [f for x in rulings if x["act"] == "force-dice" for f in x["data"]["faces"]]
        self.digest, self.seed = digest, ready(H("seed", digest, key=ready(unhex(c["link"]))))
        self.untold, now.past, self.fallen = set[str](), [*now.past, {}], [*self.fallen, {}]
        facts = names_in([self.seats, [line["data"] for line in public["lines"] if line["k"] == "fact"]])
        now.names |= facts
        touched = sum([self.check_line(line, i < len(public["lines"])) for i, line in enumerate(lines)]) > 0
        now.names = facts if any(line["k"] == "seam" for line in public["lines"]) else now.names
        need(("TOUCHED" in public["marks"]) == touched or not (whole or touched), "TOUCHED is told wrongly")
        need(("UNSALTED" in public["marks"]) == (not sent) or not (whole or sent), "UNSALTED is told wrongly")
        need(not (whole and self.untold), "a draw or a shuffle was told otherwise than it fell")
        need(branch == now.branch, "its branch was not announced")
    def matched(self, patterns: list[Any], text: str) -> Any:  # each # and *, what is before, value
        if text not in self.split:
            forms = [(parts, form.fullmatch(text)) for parts, form in patterns]
            self.split[text] = [[*zip(p[1::2], p[::2], m.groups())] for p, m in forms if m]  # noqa: B905
        for found in self.split[text]:
            if all(sign == "#" or name in self.now.names for sign, _, name in found):
                return found
        raise ValueError(f"no word of this game's labels, or a name that no fact tells: {text}")
    def check_seam(self, key: str) -> None:  # which segment begins: it follows from the one before
        now = self.now
        for sign, before, value in self.matched(self.segments, key):
            name, number = re.sub(".*[^A-Z]", "", before), int(value) if sign == "#" else 0
            fits = number in (now.numbers.get(name, 0) + 1, now.numbers.get(name), 1) or now.gap
            fits = now.following or (number == now.branch if name == "B" else fits)
            need(sign == "*" or fits, "a number skipped:", key)
            now.numbers.update({name: number} if sign == "#" else {})
        again = now.following == "past" and ({key, key.rpartition(".B")[0]} & now.ever or now.gap)
        need(now.following in ("", key) or again, "not the segment that follows:", key)
        need(key not in now.begun, "a segment begins twice:", key)
        now.seam, now.following, now.begun, now.ever = key, "", now.begun | {key}, now.ever | {key}
    def check_label(self, at: str, kind: str, public: bool) -> None:
        now, (segment, purpose, n, what) = self.now, at.rsplit("/", 3)
        self.matched(self.purposes, f"{purpose}/{what}")
        need(what == kind or (kind == "roll" and what[1:].isdigit()), "another kind of label:", at)
        if public:  # what is hidden is known in part, and counted by the umpire's lines
            need(segment == now.seam or (not now.seam and self.matched(self.segments, segment)), "not of", at)
            now.seam, name = segment, f"{segment}/{purpose}/{what}"
            seen = name in now.counts or segment in now.begun
            need(n == str(now.counts.get(name, 0) + 1) or not seen, "a number skipped:", at)
            now.counts[name] = int(n)
    def check_line(self, line: dict[str, Any], public: bool) -> bool:  # True: the umpire had a hand in it
        now, kind, by, at, told = self.now, line["k"], line.get("by"), line.get("label", ""), None
        if kind == "seam" and public:
            self.check_seam(line["key"])
        elif kind == "roll":
            need(now.n in (-1, line["n"] - 1) and at.endswith(f"/d{line['sides']}"), "out of order:", line)
            now.n, told = line["n"], line["faces"]
            must = faces(self.seed, at, len(told), line["sides"])
            self.fallen[-1][now.n] = at, told
        elif kind == "opening":
            need((now.gap or line["root"] in now.roots) and is_proved(line), "a card without proof:", line)
        elif kind == "branch":
            fits = (line["n"], line["from"]) == (now.branches + 1, now.branch)
            need(now.gap or fits, "no new branch:", line)
            now.branch, now.branches, now.seam, now.following = line["n"], line["n"], "", "past"
            now.fork, now.begun, now.counts = line["dice"], set(), {}
        elif kind in ("draw", "shuffle"):
            self.untold ^= {str([(name, line[name]) for name in sorted({*line} - {"from", "order"})])}
            now.roots.add(line.get("root", ""))
            if "from" in line or "order" in line:
                key = ready(H("sealed", self.digest, key=self.K))
                told = line["items"] if "from" in line else [*line["order"], line["root"]]
                must = fallen(key, kind, at, line["from" if "from" in line else "order"], len(told))
        if at:
            self.check_label(at, kind, public)
        if told is not None:
            right = self.is_right(line, at, by, told, must) and at not in now.past[-1]
            need(right, at, by, "must be", must, "but is told as", told)
            now.past[-1][at] = line if self.again else {}
        return kind in ("ruling", "branch") or by in ("recorded", "umpire" if kind == "answer" else "forced")
    def is_right(self, line: dict[str, Any], at: str, by: Any, told: list[Any], must: list[Any]) -> bool:
        past, laid = self.now.past, self.forced[: len(told)] if line["k"] == "roll" else []
        if by == "recorded":
            lost = self.now.gap and not any(at in old for old in past)
            self.missing += [f"MISSING the Close whose roll serves again as {at}"] * lost
            same = self.now.gap or self.now.fork == "same"
            return lost or (same and any(serves(old.get(at, {}), line) for old in past))
        if laid and len(laid) == len(told) and all(1 <= face <= line["sides"] for face in laid):
            self.forced = self.forced[len(told) :]
            return by == "forced" and told == laid
        self.forced = [] if line["k"] == "roll" else self.forced  # faces that do not fit lapse
        return by == "audited" and must == told
    def check_text(self, path: Path, first: str, last: str, name: str, shown: str) -> None:
        numbers = range(int(first), int(last or first) + 1)
        found = [[fell[n] for n in numbers] for fell in self.fallen if {*numbers} <= {*fell}]
        self.missing += [f"MISSING roll #{first} of {path.name}"] * (not found)
        told = [int(face) for face in re.findall("[0-9]+", shown)]
        fits = [[face for _, some in fell for face in some] == told for fell in found
                if all(name == (at.rsplit("/", 3)[0] if last else at) for at, _ in fell)]
        need(any(fits) or not found, f"its words tell #{first} otherwise:", name, shown)

verify = Report
if __name__ == "__main__":
    found = verify(sys.argv[1:])
    print(*found.lines, *found.missing, *found.caught, *found.unreadable, sep="\n")
    sys.exit(found.code)
