"""Checks the dice of a campaign:   python3 verify_dice.py FOLDER_OR_FILE ...

Give it letters (.eml with their audit.json), exports (.json) or folders of them, of one player or of several:
what two files both tell must be the same. It needs Python 3.9 or newer and nothing else. The exit code is 0
if everything fits, 1 if something does not, 2 if something could not be read.
"""
# fmt: off

from __future__ import annotations

import hmac
import json
import sys
from collections.abc import Callable, Iterable
from email import message_from_bytes, policy
from hashlib import sha256
from pathlib import Path
from struct import unpack
from typing import Any

REFUSED = [b"", *(bytes(range(256 - 256 % n, 256)) for n in range(1, 257))]  # so that all faces are alike

def need(fits: object, *what: object) -> None:
    if not fits:
        raise ValueError(" ".join(map(str, what)))

def sha(*parts: bytes) -> bytes:
    return sha256(b"".join(parts)).digest()

def H(tag: str, *parts: Any, key: bytes | None = None) -> bytes:  # noqa: N802
    """SHA-256 over tag and parts, each behind its length; with a key HMAC-SHA256 over the same bytes."""
    raw = [p.encode() if type(p) is str else p.to_bytes(4, "big") if type(p) is int else p for p in parts]
    data = len(tag).to_bytes(2, "big") + tag.encode() + b"".join([len(r).to_bytes(8, "big") + r for r in raw])
    return hmac.digest(key, data, "sha256") if key else sha(data)

def unhex(text: str) -> bytes:
    need(len(text) == 64 and text == text.lower(), "a hash is not 64 digits of lower-case hex")
    return bytes.fromhex(text)

def below(key: bytes, tag: str, at: str) -> Callable[[int], int]:
    """Gives numbers below a limit from four-byte words; those from the largest multiple on are refused."""
    blocks = (H(tag, at, i, key=key) for i in range(1 << 32))
    words = (word for block in blocks for word in unpack(">8I", block))
    return lambda limit: next(word for word in words if word < 2**32 - 2**32 % limit) % limit

def faces(key: bytes, at: str, dice: int, sides: int) -> list[Any]:  # from bytes for up to 256 sides
    if sides > 256:
        face = below(key, "roll", at)
        return [face(sides) + 1 for _ in range(dice)]
    text, shown, i = at.encode(), b"", 0
    while len(shown) < dice:
        data = b"\0\4roll%b%b\0\0\0\0\0\0\0\4%b" % (len(text).to_bytes(8, "big"), text, i.to_bytes(4, "big"))
        shown, i = shown + hmac.digest(key, data, "sha256").translate(None, REFUSED[sides]), i + 1
    return [byte % sides + 1 for byte in shown[:dice]]

def fallen(key: bytes, kind: str, at: str, cards: list[str], count: int) -> list[Any]:
    """A draw or shuffle as it must be: the items, or the order and its RFC 6962 root."""
    cards, index = sorted(cards), below(key, kind, at)
    if kind == "draw":
        return [cards.pop(index(len(cards))) for _ in range(count)]
    for last in range(len(cards) - 1, 0, -1):
        other = index(last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    leaves = [i.to_bytes(4, "big") + card.encode() for i, card in enumerate(cards)]
    row = [sha(b"\0", H("nonce", at, i, key=key), leaf) for i, leaf in enumerate(leaves)] or [sha()]
    while len(row) > 1:  # the last of an odd row goes up as it is
        row = [sha(b"\1", *row[i : i + 2]) if row[i + 1 :] else row[i] for i in range(0, len(row), 2)]
    return [*cards, row[0].hex()]

def proved_root(line: dict[str, Any]) -> str:
    """The root that an opened card leads to."""
    here, last = line["position"], line["size"] - 1
    result = sha(b"\0", unhex(line["nonce"]), here.to_bytes(4, "big"), line["card"].encode())
    for step in map(unhex, line["path"]):
        while here == last and here and here % 2 == 0:
            here, last = here >> 1, last >> 1
        result = sha(b"\1", step, result) if here % 2 else sha(b"\1", result, step)
        here, last = here >> 1, last >> 1
    return result.hex() if here == last == 0 else "a path of wrong length"

def serves(old: dict[str, Any], line: dict[str, Any]) -> bool:  # again; a roll perhaps with fewer dice
    cut = {"faces": old.get("faces", [])[: len(line["faces"])], "n": line["n"]} if line["k"] == "roll" else {}
    return {**old, **cut, "by": line["by"]} == line

class Report:  # what the files of one campaign tell, and what does not fit; `code` is the exit code
    def __init__(self, paths: Iterable[str | Path]) -> None:
        self.lines, self.caught, self.unreadable = list[str](), list[str](), list[str]()
        self.known: dict[int, dict[str, Any]] = {}  # Close -> field -> value; 0: the opening
        self.earlier: dict[tuple[int, str], dict[str, Any]] = {}  # rolls, draws, shuffles by Close and label
        self.roots, self.announced = set[str](), set[object]()  # of piles; anchors and branches
        self.t, self.n, self.gap = 0, 0, False  # last Close, last roll; were Closes missing before?
        for top in map(Path, paths):
            for path in sorted(top.rglob("*.eml")) + sorted(top.rglob("*.json")) if top.is_dir() else [top]:
                self.attempt(self.unreadable, f"UNREADABLE {path}", self.read, path)
        self.attempt(self.caught if self.known else self.unreadable, "CHECK", self.check)
        self.code = 1 if self.caught else 2 if self.unreadable else 0

    def attempt(self, errors: list[str], what: object, check: Callable[..., None], *args: Any) -> None:
        try:
            check(*args)
        except Exception as error:  # whatever a forger writes must end as a line of the report
            errors.append(f"{what}: {error if type(error) is ValueError else repr(error)}")

    def read(self, path: Path) -> None:
        texts = [path.read_bytes()]
        if path.suffix.lower() == ".eml":
            parts = message_from_bytes(texts[0], policy=policy.default).walk()
            texts = [p.get_content() for p in parts if str(p.get_filename()).startswith("audit")]
        for doc in map(json.loads, texts):
            self.attempt(self.caught if "format" in doc else self.unreadable, f"FILE {path}", self.take, doc)

    def take(self, doc: dict[str, Any]) -> None:
        need((doc.pop("format"), {*doc} - {"K"}) == ("pbem audit 1", {"open", "closes"}), "an unknown form")
        for close in [doc, *doc.pop("closes")]:
            t = json.loads(close["T"])["t"] if close is not doc else 0
            need(close is doc or (t > 0 and ("K" not in doc or "k umpire" in close)), "a Close is not whole")
            for name, told in close.items():
                if name[:5] == "entry":  # answers, then a mark for each letter; in full or as hashes
                    told[:] = [x if str(x) == x else H(*(part + "" for part in x)).hex() for x in told]
                need(self.known.setdefault(t, {}).setdefault(name, told) == told, "files differ on", name, t)

    def check(self) -> None:
        need(self.known, "no audit.json was found")
        first = self.known.pop(0)
        header, self.T, self.head = json.loads(first["open"]), first["open"], H("head", first["open"]).hex()
        self.K, self.readers = unhex(first["K"]) if "K" in first else None, [*header["seats"], "umpire"]
        self.place, self.link = {header["anchor"], 0}, header["anchor"]
        need(not self.K or H("seal", self.K).hex() == header["seal"], "K is not what the opening commits to")
        for t, close in sorted(self.known.items()):
            self.attempt(self.caught, f"CAUGHT Close {t}", self.check_close, t, close)
            self.t, self.T, self.head, self.link = t, close["T"], close["head"], close["link"]
        self.lines.append(f"{len(self.known)} Closes, rolls up to #{self.n}, caught: {len(self.caught)}")

    def check_close(self, t: int, c: dict[str, Any]) -> None:
        script, public, link = json.loads(c["T"]), json.loads(c["P"]), unhex(c["link"])
        linked, digest, steps = script["prev"] == sha(self.T.encode()).hex(), sha(c["T"].encode()), t - self.t
        need(linked or steps > 1, "it does not follow the Close before it")
        links = ["links before it " + ("given up" if linked else "not seen")] * (steps > 1)
        self.lines += [f"Close {t}: {note}" for note in links + public["marks"]]
        self.gap, self.n = self.gap or not linked, self.n if linked else -1
        head = H("head", unhex(self.head), c["P"], *(unhex(c[f"seal {r}"]) for r in self.readers))
        need(head.hex() == c["head"] or not linked, "its head is not over its records")
        need(public["T"] == digest.hex(), "its public record belongs to another transcript")
        lines, sent, whole = public["lines"], 0, "k umpire" in c
        for r in [r for r in self.readers if f"k {r}" in c or f"private {r}" in c]:
            key, private = unhex(c[f"k {r}"]), c[f"private {r}"]
            need(not self.K or key == H("seat", t, r, key=self.K), f"the key of {r} is not made from K")
            need(H("private", private, key=key).hex() == c[f"seal {r}"], f"the seal of {r} is broken")
            lines += json.loads(private)
            if r != "umpire":
                entry = H("entry", H("entry", *map(unhex, c[f"entry {r}"])), key=key).hex()
                need(entry == script["entries"][r], f"the entry of {r} is not that of the transcript")
                sent += len(c[f"entry {r}"]) - 1
        self.untold, self.keys = set[str](), (H("seed", digest, key=link), H("sealed", digest, key=self.K))
        touched = sum(map(self.check_line, lines)) > 0
        need(("TOUCHED" in public["marks"]) == touched or not (whole or touched), "TOUCHED is told wrongly")
        need(("UNSALTED" in public["marks"]) == (not sent) or not (whole or sent), "UNSALTED is told wrongly")
        need(not (whole and self.untold), "a draw or a shuffle was told otherwise than it fell")
        place = {script["anchor"], script["branch"]}  # what is new in it must be announced, each time anew
        need(self.gap or place <= self.place | self.announced, "its anchor or branch was not announced")
        if script["anchor"] not in self.place:
            self.link, steps = script["anchor"], 1
        self.place, self.announced = place, self.announced - place
        for _ in range(min(steps, 65536)):
            link = H("chain", link)
        need(link.hex() == self.link or (steps == 1 and not linked), "its link does not lead to the anchor")
        form = {**script, "v": 1, "t": int(t), "branch": int(script["branch"]), "beacon": None}
        fits = json.dumps(form, sort_keys=True, separators=(",", ":")) == c["T"] and len(form) == 7
        need(fits and {*script["entries"]} == {*self.readers[:-1]}, "its transcript is not of the right form")

    def check_line(self, line: dict[str, Any]) -> bool:  # gives back whether the umpire had a hand in it
        kind, by, at, told = line["k"], line.get("by"), line.get("label", ""), None
        if kind == "roll":
            need(self.n in (-1, line["n"] - 1) and at.endswith(f"/d{line['sides']}"), "out of order:", line)
            self.n = line["n"]
            told, must = line["faces"], faces(self.keys[0], at, len(line["faces"]), line["sides"])
        elif kind == "opening":
            need(line["root"] == proved_root(line), "a card without proof:", line)
            need(self.gap or line["root"] in self.roots, "a card of an unknown pile:", line)
        elif kind in ("ruling", "branch"):
            self.announced.add(line["n"] if kind == "branch" else line["data"].get("anchor"))
        elif kind in ("draw", "shuffle"):
            self.untold ^= {str([(name, line[name]) for name in sorted({*line} - {"from", "order"})])}
            self.roots.add(line.get("root", ""))
            if "from" in line:
                told, must = line["items"], fallen(self.keys[1], kind, at, line["from"], len(line["items"]))
            elif "order" in line:
                told, must = [*line["order"], line["root"]], fallen(self.keys[1], kind, at, line["order"], 0)
        if told is not None:
            again = by == "recorded" and (self.gap or any(serves(old, line) for old in self.earlier.values()))
            fits = must == told if by == "audited" else again or by == "forced"
            need(fits and (self.t, at) not in self.earlier, at, by, "must be", must, "but is told as", told)
            self.earlier[self.t, at] = line
        return kind in ("ruling", "branch") or by in ("recorded", "umpire" if kind == "answer" else "forced")

verify = Report
if __name__ == "__main__":
    found = verify(sys.argv[1:])
    print(*found.lines, *found.caught, *found.unreadable, sep="\n")
    sys.exit(found.code)
