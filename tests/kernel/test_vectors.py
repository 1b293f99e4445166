"""Frozen vectors: from anchor to faces, shuffle and head, so that others can write checkers.

`vectors.json` was written once for this version of the protocol and is never written again by a test;
`python -m tests.kernel.test_vectors` writes it for a new version. `vectors.md` tells the same to a reader;
docs/dice.md takes it over.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.kernel.fairness.audit import Entry, Ledger, Secrets, SentMark, blind
from engine.kernel.fairness.dice import MAC, Chain, H
from engine.kernel.fairness.export import seat_export, umpire_export
from engine.kernel.journal import canonical
from engine.kernel.requests import Seat
from pbem.verify_dice import verify

HERE = Path(__file__).parent
FROZEN = HERE / "vectors.json"
SNIPPET = HERE / "vectors.md"
DOCUMENT = HERE.parents[1] / "docs" / "dice.md"

SECRET, K = bytes(range(32)), bytes(range(32, 64))
DE, EN = Seat("DE"), Seat("EN")
LETTER = SentMark("<1914@mail.example>", "c2lnbmF0dXJl", "guns of august")
ROLLS = [("fire/1", 5, 6), ("fire/1", 3, 10), ("weather/1", 1, 100), ("fate/1", 2, 256), ("fate/1", 2, 1000)]
LABELS = {
    "first": "T1.R1",
    "purposes": ["fire/d#", "weather/d100", "fate/d#", "tile/draw", "deck/shuffle"],
    "segments": ["T#.R#"],
}
CARDS = ("gas", "mine", "sap", "tank", "zeppelin")


def opened() -> Ledger:
    secrets = Secrets(Chain(SECRET), K)
    return Ledger(
        canonical({"k": "open", "v": 2, "seats": [DE, EN], "labels": LABELS, **secrets.commitments}), secrets
    )


def first_window(ledger: Ledger) -> None:
    """Germany writes one letter; five rolls, a draw, a shuffle, and its top card opened to Germany."""
    close = ledger.close({DE: Entry.of([LETTER], ["A1 - F3"])})
    dice = ledger.dice(close)
    lines: list[dict[str, Any]] = [{"k": "seam", "name": "round", "key": "T1.R1", "args": [1, 1]}]
    for why, count, sides in ROLLS:
        label = f"T1.R1/{why}/d{sides}"
        rolled = dice.roll(label, count, sides)
        line = {"k": "roll", "seat": "DE", "label": label, "sides": sides}
        lines.append({**line, "faces": list(rolled.faces), "by": rolled.by})
    drawn = dice.draw("T1.R1/tile/1/draw", CARDS, 2)
    line = {"k": "draw", "seat": "EN", "label": "T1.R1/tile/1/draw", "from": list(CARDS)}
    lines.append({**line, "items": list(drawn.items), "by": drawn.by})
    mixed = dice.shuffle("T1.R1/deck/1/shuffle", CARDS)
    line = {"k": "shuffle", "label": "T1.R1/deck/1/shuffle", "order": list(mixed.order), "root": mixed.root}
    lines += [{**line, "by": mixed.by}, {"k": "opening", "root": mixed.root, "position": 0, "to": ["DE"]}]
    ledger.records.append(ledger.record(close, lines))


def vectors() -> dict[str, Any]:
    """Everything a checker computes on the way, by name."""
    ledger = opened()
    first_window(ledger)
    (record,) = ledger.records
    close, chain = record.close, ledger.secrets.chain
    draw, shuffle = (line for line in json.loads(record.private["umpire"]) if "label" in line)
    entry, other = close.entries[DE], close.entries[EN]
    return {
        "c[65536]": SECRET.hex(),
        "c[65535]": chain.link(65535).hex(),
        "c[1]": chain.link(1).hex(),
        "c[0], the anchor": chain.anchor.hex(),
        "K": K.hex(),
        'H("seal", K)': H("seal", K).hex(),
        "T[0], the opening": ledger.opening.decode(),
        'H("mark", "<1914@mail.example>", "c2lnbmF0dXJl", "guns of august")': LETTER.mark.hex(),
        'H("answers", "A1 - F3")': entry.answers,
        'entry = H("entry", answers, mark)': entry.digest.hex(),
        'k[1,DE] = MAC(K, "seat", 1, "DE")': ledger.secrets.key(1, DE).hex(),
        'MAC(k[1,DE], "entry", entry)': blind(ledger.secrets.key(1, DE), entry),
        'the entry of EN, H("entry", H("answers"))': other.digest.hex(),
        "T[1]": close.transcript.decode(),
        "SHA-256(T[1])": close.digest.hex(),
        'seed[1] = MAC(c[1], "seed", SHA-256(T[1]))': MAC(chain.link(1), "seed", close.digest).hex(),
        'sealed[1] = MAC(K, "sealed", SHA-256(T[1]))': ledger.secrets.sealed(close.transcript).hex(),
        **{line["label"]: line["faces"] for line in record.public_lines if line["k"] == "roll"},
        draw["label"]: draw["items"],
        shuffle["label"]: shuffle["order"],
        "root over the shuffled pile": shuffle["root"],
        "P[1]": record.public.decode(),
        **{f"private lines of {reader}": text.decode() for reader, text in record.private.items()},
        **{f"seal[1,{reader}]": seal for reader, seal in record.seals.items()},
        'head[0] = H("head", T[0])': H("head", ledger.opening).hex(),
        "head[1]": record.head,
    }


def snippet(frozen: dict[str, Any]) -> str:
    """The vectors as Markdown."""
    rows = [
        "Vectors, so that you can write a checker of your own. The seats are DE and EN, DE sent one letter,",
        "the cup and the pile hold gas, mine, sap, tank and zeppelin:",
        "",
        "```",
    ]
    for name, value in frozen.items():
        shown = value if isinstance(value, str) else " ".join(map(str, value))
        rows += [name, f"    {shown}"]
    return "\n".join([*rows, "```", ""])


def test_the_vectors_are_what_they_were() -> None:
    assert json.loads(FROZEN.read_text()) == vectors()


def test_the_snippet_tells_the_same() -> None:
    assert SNIPPET.read_text() == snippet(json.loads(FROZEN.read_text()))


def test_the_document_tells_the_same() -> None:
    assert SNIPPET.read_text() in DOCUMENT.read_text("utf-8")


def test_the_vectors_hang_together_by_hand() -> None:
    """Some steps once more, with nothing but hashes."""
    frozen = json.loads(FROZEN.read_text())
    link = SECRET
    for _ in range(65535):
        link = H("chain", link)
    assert frozen["c[1]"] == link.hex()
    assert frozen["SHA-256(T[1])"] == sha256(frozen["T[1]"].encode()).hexdigest()
    seed = MAC(link, "seed", bytes.fromhex(frozen["SHA-256(T[1])"]))
    block = MAC(seed, "roll", "T1.R1/fire/1/d6", 0)
    assert frozen["T1.R1/fire/1/d6"] == [byte % 6 + 1 for byte in block if byte < 252][:5]
    seals = [bytes.fromhex(frozen[f"seal[1,{reader}]"]) for reader in ("DE", "EN", "umpire")]
    head = H("head", H("head", frozen["T[0], the opening"]), frozen["P[1]"], *seals)
    assert frozen["head[1]"] == head.hex()


def test_the_checker_accepts_the_campaign_of_the_vectors(tmp_path: Path) -> None:
    ledger = opened()
    first_window(ledger)
    for name, text in (("own.json", seat_export(ledger, DE)), ("whole.json", umpire_export(ledger))):
        (tmp_path / name).write_text(text)
    assert (0, []) == ((report := verify([tmp_path])).code, report.caught)


def renew() -> None:
    """For a new version of the protocol: the vectors, and the page that shows them."""
    old, new = SNIPPET.read_text(), vectors()
    FROZEN.write_text(json.dumps(new, indent=1) + "\n")
    SNIPPET.write_text(snippet(new))
    DOCUMENT.write_text(DOCUMENT.read_text("utf-8").replace(old, snippet(new)), "utf-8")


if __name__ == "__main__":
    renew()
