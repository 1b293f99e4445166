"""Checks the dice of a campaign:   python3 verify_dice.py FOLDER_OR_FILE ...

Give it letters (.eml with their audit.json), exports (.json) or folders of them, of one player or of several:
all must tell the same. It needs only Python 3.9 or newer. Exit code: 0 all fits, 1 not all, 2 unreadable."""
# fmt: off

import json
import sys
from collections.abc import Callable, Iterable
from email import message_from_bytes, policy
from hashlib import sha256
from pathlib import Path
from typing import Any

FORM = '{"anchor":"%%s","beacon":null,"branch":%%d,"entries":{%s},"prev":"%%s","t":%%d,"v":1}'
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

class Report:  # what the files of one campaign tell, and what does not fit; `code` is the exit code
    def __init__(self, paths: Iterable[Any]) -> None:
        self.lines, self.caught, self.unreadable = list[str](), list[str](), list[str]()
        self.known: dict[int, dict[str, Any]] = {}  # Close -> field -> value; 0: the opening
        self.past = list[dict[str, Any]]()  # of each Close: what fell, by label (in full if any serves again)
        self.roots, self.announced = set[str](), set[object]()  # of piles; anchors and branches
        self.t, self.n, self.gap = 0, 0, False  # last Close, last roll; were Closes missing before?
        for top in map(Path, paths):
            for path in sorted(top.rglob("*.eml")) + sorted(top.rglob("*.json")) if top.is_dir() else [top]:
                self.attempt(self.unreadable, f"UNREADABLE {path}, no export or letter", self.read, path)
        self.attempt(self.caught if self.known else self.unreadable, "CHECK", self.check)
        self.code = 1 if self.caught else 2 if self.unreadable else 0

    def attempt(self, errors: list[str], what: object, check: Callable[..., None], *args: Any) -> None:
        try:
            check(*args)
        except Exception as error:  # whatever a forger writes must end as a line of the report
            errors.append(f"{what}: {error if isinstance(error, (ValueError, OSError)) else repr(error)}")

    def read(self, path: Path) -> None:
        texts = [path.read_bytes()]
        if path.suffix.lower() == ".eml":
            parts = message_from_bytes(texts[0], policy=policy.default).walk()
            texts = [p.get_content() for p in parts if str(p.get_filename()).startswith("audit")]
        for doc in map(json.loads, texts):
            need(type(doc) is dict and "format" in doc, 'it does not name its "format"')
            self.attempt(self.caught, f"FILE {path}", self.take, doc)

    def take(self, doc: dict[str, Any]) -> None:
        need((doc.pop("format"), {*doc} - {"K"}) == ("pbem audit 1", {"open", "closes"}), "an unknown form")
        for close in [doc, *doc.pop("closes")]:
            t = int(close["T"].rpartition('"t":')[2].partition(",")[0]) if close is not doc else 0
            need(close is doc or (t > 0 and ("K" not in doc or "k umpire" in close)), "a Close is not whole")
            for told in [close[name] for name in close if name[:5] == "entry"]:  # in full or as hashes
                told[:] = [x if type(x) is str else H(*(part + "" for part in x)).hex() for x in told]
            for name, told in close.items() if self.known.setdefault(t, close) is not close else ():
                need(self.known[t].setdefault(name, told) == told, "files differ on", name, t)

    def check(self) -> None:
        need(self.known, "no audit.json was found")
        first = self.known.pop(0)
        header, self.T, self.head = json.loads(first["open"]), first["open"], H("head", first["open"]).hex()
        self.place, self.link, seats = {header["anchor"], 0}, header["anchor"], header["seats"]
        self.K, self.readers = ready(unhex(first["K"])) if "K" in first else None, [*seats, "umpire"]
        need(not self.K or H("seal", unhex(first["K"])).hex() == header["seal"], "open commits to another K")
        self.form = FORM % ",".join([json.dumps(name).replace("%", "%%") + ':"%s"' for name in sorted(seats)])
        self.again = any("recorded" in str(told) for c in self.known.values() for told in c.values())
        for t, close in sorted(self.known.items()):
            self.attempt(self.caught, f"CAUGHT Close {t}", self.check_close, t, close)
            self.t, self.T, self.head, self.link = t, close["T"], close["head"], close["link"]
        self.lines.append(f"{len(self.known)} Closes, rolls up to #{self.n}, caught: {len(self.caught)}")

    def check_close(self, t: int, c: dict[str, Any]) -> None:
        public, link, steps = json.loads(c["P"]), unhex(c["link"]), t - self.t
        anchor, _, branch, entries, prev, *_ = json.loads(c["T"]).values()
        need(self.form % (anchor, branch, *entries.values(), prev, t) == c["T"], "a malformed transcript")
        linked, digest = prev == sha256(self.T.encode()).hexdigest(), sha256(c["T"].encode()).digest()
        need(linked or steps > 1, "it does not follow the Close before it")
        links = ["links before it " + ("given up" if linked else "not seen")] * (steps > 1)
        self.lines += [f"Close {t}: {note}" for note in links + public["marks"]]
        self.gap, self.n = self.gap or not linked, self.n if linked else -1
        head = H("head", unhex(self.head), c["P"], *[unhex(c["seal " + r]) for r in self.readers])
        need(head.hex() == c["head"] or not linked, "its head is not over its records")
        need(public["T"] == digest.hex(), "its public record belongs to another transcript")
        lines, sent, whole = public["lines"], 0, "k umpire" in c
        for r in [r for r in self.readers if "k " + r in c or "private " + r in c]:
            raw = H("seat", t, r, key=self.K) if self.K else unhex(c["k " + r])
            key, private = ready(raw), c["private " + r]
            need(raw.hex() == c["k " + r], "not made from K: the key of", r)
            need(H("private", private, key=key).hex() == c["seal " + r], "broken: the seal of", r)
            lines += json.loads(private) if private != "[]" else []
            if r != "umpire":
                entry = H("entry", H("entry", *map(unhex, c["entry " + r])), key=key).hex()
                need(entry == entries[r], "not that of the transcript: the entry of", r)
                sent += len(c["entry " + r]) - 1
        self.digest, self.seed, self.untold = digest, ready(H("seed", digest, key=ready(link))), set[str]()
        self.past.append({})
        touched = sum(map(self.check_line, lines)) > 0
        need(("TOUCHED" in public["marks"]) == touched or not (whole or touched), "TOUCHED is told wrongly")
        need(("UNSALTED" in public["marks"]) == (not sent) or not (whole or sent), "UNSALTED is told wrongly")
        need(not (whole and self.untold), "a draw or a shuffle was told otherwise than it fell")
        place = {anchor, branch}  # what is new in it must be announced, each time anew
        need(self.gap or place <= self.place | self.announced, "its anchor or branch was not announced")
        self.link, steps = (self.link, steps) if anchor in self.place else (anchor, 1)
        self.place, self.announced = place, self.announced - place
        for _ in range(min(steps, 65536)):
            link = H("chain", link)
        need(link.hex() == self.link or (steps == 1 and not linked), "its link does not lead to the anchor")

    def check_line(self, line: dict[str, Any]) -> bool:  # gives back whether the umpire had a hand in it
        kind, by, at, told = line["k"], line.get("by"), line.get("label", ""), None
        if kind == "roll":
            need(self.n in (-1, line["n"] - 1) and at.endswith(f"/d{line['sides']}"), "out of order:", line)
            self.n, told = line["n"], line["faces"]
            must = faces(self.seed, at, len(told), line["sides"])
        elif kind == "opening":
            need((self.gap or line["root"] in self.roots) and is_proved(line), "a card without proof:", line)
        elif kind in ("ruling", "branch"):
            self.announced.add(line["n"] if kind == "branch" else line["data"].get("anchor"))
        elif kind in ("draw", "shuffle"):
            self.untold ^= {str([(name, line[name]) for name in sorted({*line} - {"from", "order"})])}
            self.roots.add(line.get("root", ""))
            if "from" in line or "order" in line:
                key = ready(H("sealed", self.digest, key=self.K))
                told = line["items"] if "from" in line else [*line["order"], line["root"]]
                must = fallen(key, kind, at, line["from" if "from" in line else "order"], len(told))
        if told is not None:
            again = by == "recorded" and (self.gap or any(serves(old.get(at, {}), line) for old in self.past))
            fits = must == told if by == "audited" else again or by == "forced"
            need(fits and at not in self.past[-1], at, by, "must be", must, "but is told as", told)
            self.past[-1][at] = line if self.again else {}
        return kind in ("ruling", "branch") or by in ("recorded", "umpire" if kind == "answer" else "forced")

verify = Report
if __name__ == "__main__":
    found = verify(sys.argv[1:])
    print(*found.lines, *found.caught, *found.unreadable, sep="\n")
    sys.exit(found.code)
