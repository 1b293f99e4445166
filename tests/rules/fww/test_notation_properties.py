"""Reading and writing for orders and texts at large: round trips, and nothing that is lost or raises."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from engine.games.first_world_war.notation import NOTATION, known
from engine.games.first_world_war.notation.conditions import Term
from engine.games.first_world_war.notation.lexicon import Pen, lexicon
from engine.games.first_world_war.notation.lines import Branch, OrderLine
from engine.games.first_world_war.notation.moments import (
    AskRecall,
    LeadReply,
    RefuseRecall,
    ReturnTiles,
    Reveal,
    TakeReply,
    TileReply,
)
from engine.games.first_world_war.notation.orders import (
    AgreeToRecall,
    AttackOrder,
    DeployOrder,
    MoveOrder,
    Order,
    PassOrder,
    TransferOrder,
)
from engine.games.first_world_war.notation.policies import (
    AskReplacement,
    AskWhenAttacked,
    AttackTile,
    Defend,
    DrawTiles,
    Grant,
    Occupy,
    OrderSlots,
    Replace,
    Treaty,
)
from engine.games.first_world_war.notation.preferences import (
    CombatTerm,
    LeadPreference,
    TakePreference,
    TilePreference,
)
from engine.games.first_world_war.notation.troops import Group
from engine.games.first_world_war.notation.words import ALL_TABLES
from engine.kernel.game import Language
from engine.notation.words import words_of
from tests.rules.fww.board import PACK
from tests.rules.fww.desk import capture_question, leader_question, tile_question, view_of

LEXICON = lexicon(PACK)
VIEWS = {
    (who, players): view_of(who, players)
    for who, players in (("WA", 4), ("DE", 4), ("WA", 2), ("DE", 2), ("GA", 3))
}

# ------------------------------------------------------------------ orders at random

fronts = st.sampled_from(sorted(PACK.fronts))
locations = st.sampled_from(sorted(PACK.locations))
counters = st.sampled_from(sorted(PACK.faction_of))
armies = st.sampled_from(sorted(PACK.armies))
operators = st.sampled_from(["<", "<=", "=", ">=", ">"])
numbers = st.integers(0, 99)


def some(items: SearchStrategy[Any], most: int = 4) -> SearchStrategy[tuple[Any, ...]]:
    return st.lists(items, min_size=1, max_size=most, unique=True).map(tuple)


def ending(items: SearchStrategy[Any], end: str) -> SearchStrategy[tuple[Any, ...]]:
    """A list that may end in NONE, or be nothing else."""
    return st.one_of(some(items), some(items).map(lambda found: (*found, end)), st.just((end,)))


troops = some(st.one_of(counters, st.sampled_from(["D", "2D", "11D", "ALL", "REAL"])))


@st.composite
def groups(draw: Any) -> tuple[Group, ...]:
    """Each counter in one of them."""
    words = draw(st.lists(counters, min_size=1, max_size=6, unique=True))
    cuts = sorted([*draw(st.lists(st.integers(1, len(words)), max_size=2)), len(words)])
    found, start = [], 0
    for cut in dict.fromkeys(cuts):
        dummies = draw(st.sampled_from([(), ("D",), ("3D",)]))
        found.append(Group((*words[start:cut], *dummies), draw(fronts)))
        start = cut
    return tuple(found)


def combat_terms(kinds: list[str]) -> SearchStrategy[CombatTerm]:
    plain = [kind for kind in kinds if kind in ("ENEMYTILE", "ENEMYMANDATORY")]
    counted = [kind for kind in kinds if kind not in (*plain, "STAKE")]
    found = [st.builds(CombatTerm, st.sampled_from(counted), operators, numbers)]
    if plain:
        found.append(st.builds(CombatTerm, st.sampled_from(plain)))
    if "STAKE" in kinds:
        found.append(st.builds(CombatTerm, st.just("STAKE"), location=locations))
    return st.one_of(found)


def tiles(side: str, role: str) -> SearchStrategy[TilePreference]:
    own = sorted(tile for tile, row in PACK.tiles.items() if row.alliance == side)
    wishes = ending(st.sampled_from([*own, "BEST", "ZERO"]), "NONE")
    kinds = ["ATKCOUNT", "ATKMAX", "STAKE"] + (["ENEMYTILE", "ENEMYMANDATORY"] if role == "attack" else [])
    plain = st.builds(TilePreference, wishes)
    return st.recursive(
        plain, lambda inner: st.builds(TilePreference, wishes, combat_terms(kinds), inner), max_leaves=3
    )


def leaders(side: str, kinds: list[str]) -> SearchStrategy[LeadPreference]:
    own = sorted(army for army, row in PACK.armies.items() if PACK.alliance_of[row.faction] == side)
    wishes = some(st.sampled_from([*own, "STRONGEST", "WEAKEST"]))
    plain = st.builds(LeadPreference, wishes)
    return st.recursive(
        plain, lambda inner: st.builds(LeadPreference, wishes, combat_terms(kinds), inner), max_leaves=3
    )


takes = ending(locations, "NONE")
asking_takes = st.one_of(st.builds(TakePreference, takes), st.just(TakePreference((), True)),
                         st.builds(TakePreference, takes, st.just(True)))  # fmt: skip


def attacks(side: str, take: SearchStrategy[Any]) -> SearchStrategy[Order]:
    attackers = st.one_of(st.just(()), troops)
    lead, tile = leaders(side, ["DEFMAX"]), tiles(side, "attack")
    return st.builds(AttackOrder, fronts, attackers, st.none() | lead, st.none() | tile, st.none() | take)


def round_orders(side: str) -> SearchStrategy[Order]:
    return st.one_of(
        attacks(side, st.builds(TakePreference, takes)),
        st.builds(MoveOrder, fronts, groups()),
        st.builds(TransferOrder, fronts, fronts, troops),
        st.just(PassOrder()),
        st.builds(AgreeToRecall, st.just("") | armies),
    )


def deployments() -> SearchStrategy[Order]:
    placed = st.builds(DeployOrder, groups(), st.sampled_from([(), ("D",), ("ALL",)]))
    return placed | st.builds(DeployOrder, st.just(()), troops)


def policies(side: str) -> SearchStrategy[Order]:
    places = st.none() | fronts
    tile, lead = tiles(side, "defence"), leaders(side, ["ENEMYLEAD", "DEFMAX"])
    own = st.sampled_from(sorted(tile for tile, row in PACK.tiles.items() if row.alliance == side))
    slots = some(st.integers(1, 4))
    return st.one_of(
        st.builds(Defend, places, tile, st.none() | lead),
        st.builds(Defend, places, st.none(), lead),
        st.builds(AttackTile, places, tiles(side, "attack")),
        st.builds(
            DrawTiles, st.sampled_from(["YES", "NO", "FREE"]), st.just(()) | some(own | st.just("ZERO"))
        ),
        st.builds(Occupy, fronts, some(locations)),
        st.builds(Replace, ending(armies, "NONE")),
        st.builds(Grant, some(armies, 1) | st.just(("ALL",)), st.just(True), st.booleans()),
        st.builds(Grant, some(armies, 1) | st.just(("ALL",)), st.just(False)),
        st.builds(AskReplacement, some(armies) | st.sampled_from([("ALL",), ("NONE",)])),
        st.builds(Treaty, st.sampled_from(["OFFER", "NONE", "ACCEPT", "REFUSE"])),
        st.builds(OrderSlots, slots, st.just(()) | slots),
        st.builds(OrderSlots, st.just(()), slots),
        st.just(ReturnTiles(("UNUSABLE",))),
    )


def moments(side: str) -> SearchStrategy[Order]:
    own = st.sampled_from(sorted(tile for tile, row in PACK.tiles.items() if row.alliance == side))
    return st.one_of(
        st.builds(ReturnTiles, some(own)),
        st.builds(Reveal, troops, fronts),
        st.builds(Reveal, some(counters)),
        st.builds(AskRecall, armies, fronts, fronts),
        st.builds(RefuseRecall, st.just("") | armies),
        st.builds(TileReply, tiles(side, "attack")),
        st.builds(LeadReply, leaders(side, ["ENEMYLEAD", "DEFMAX"])),
        st.builds(TakeReply, st.builds(TakePreference, takes)),
    )


terms = st.one_of(
    st.builds(Term, st.sampled_from(["HOLD", "LOST"]), locations, negated=st.booleans()),
    st.builds(Term, st.sampled_from(["OWN", "ENEMY"]), fronts, operators, numbers, st.booleans()),
    st.builds(Term, st.just("VP"), st.sampled_from(sorted(PACK.factions)), operators, numbers, st.booleans()),
    st.builds(Term, st.sampled_from(["TURN", "CYCLE"]), st.just(""), operators, numbers, st.booleans()),
    st.builds(Term, st.just("ATTACKED"), fronts, negated=st.booleans()),
    st.builds(Term, st.just("WON"), negated=st.booleans()),
)
conditions = some(terms, 3)


def branches(orders: SearchStrategy[Order]) -> SearchStrategy[Order]:
    """IF with an IF inside it; an ELSE belongs to the nearest IF, so an inner one without ELSE comes last."""
    whole = st.builds(Branch, conditions, orders, orders)
    return st.one_of(
        st.builds(Branch, conditions, orders, st.none() | orders),
        st.builds(Branch, conditions, whole, st.none() | orders),
        st.builds(Branch, conditions, orders, st.builds(Branch, conditions, orders, st.none() | orders)),
        st.builds(Branch, conditions, st.builds(Branch, conditions, orders, st.none())),
    )


def any_order(side: str) -> SearchStrategy[Order]:
    rounds = round_orders(side)
    conditional = st.builds(Branch, conditions, policies(side))
    return st.one_of(
        rounds,
        branches(rounds),
        attacks(side, asking_takes),
        deployments(),
        branches(deployments()),
        policies(side),
        conditional,
        st.builds(AskWhenAttacked, st.none() | fronts),
        moments(side),
    )


ORDERS = {side: any_order(side) for side in PACK.alliances}


@st.composite
def order_lines(draw: Any) -> tuple[Any, OrderLine]:
    who, players = draw(st.sampled_from(sorted(VIEWS)))
    view = VIEWS[who, players]
    order = draw(ORDERS[PACK.alliance_of[view.factions[0]]])
    faction, named = draw(st.sampled_from(view.factions)), len(view.factions) > 1
    cycle = draw(st.integers(1, 4)) if order.in_rounds else 0
    turn = 3 if order.in_rounds or order.at_once else known.next_deployment(view) if order.deploys else 0
    since = view.round if order.at_once else 0
    return view, OrderLine(order, faction, named, turn, cycle, since, lexicon=LEXICON)


@pytest.mark.parametrize("language", ["en", "fr"])
@given(order_lines())
def test_what_is_written_is_read_again(language: Language, made: tuple[Any, OrderLine]) -> None:
    view, line = made
    text = line.write(language)
    reading = NOTATION.read(text, view)
    assert reading.refusals == (), text
    assert (*reading.orders, *reading.standing) == (line,)
    assert (*reading.orders, *reading.standing)[0].write(language) == text
    assert bool(reading.standing) == bool(line.slot())


@given(tiles("ALLIES", "attack"), leaders("ALLIES", ["DEFMAX"]), asking_takes)
def test_preferences_travel_in_canonical_english(tile: Any, lead: Any, take: Any) -> None:
    pen, view = Pen("en", LEXICON), VIEWS["WA", 4]
    tile_ask, take_ask = tile_question("attack", "A01", "A13", None), capture_question("METZ", "REIMS")
    lead_ask = leader_question("attack", "FR1", "FR2", "BR1", defenders=("DE1",))
    for wish, ask in ((tile, tile_ask), (lead, lead_ask), (take, take_ask)):
        assert NOTATION.preference(wish.write(pen), ask, view) == wish.choose(ask, view)


# ------------------------------------------------------------------ texts at random

every_word = sorted(
    {word for table in ALL_TABLES.values() for language in ("en", "fr") for word in words_of(table, language)}
    | {*LEXICON.armies, *LEXICON.fronts, *LEXICON.locations, *LEXICON.factions}
    | {word for side in LEXICON.tiles.values() for word in side}
)
signs = [
    ":",
    ";",
    ">",
    "<",
    "=",
    ">=",
    "=>",
    "→",
    "-",
    ",",
    ".",
    "#",
    "\n",
    "’",
    "C1:",
    "2D",
    "D",
    "12",
    "–",
    "é",
]
jumble = st.lists(st.sampled_from(every_word + signs * 20), max_size=25).map(" ".join)


@given(st.one_of(st.text(), jumble, st.text(alphabet="ACDEFINORST0123456789 :;><=,.#-\n\r\t!'éß≠≥→")))
def test_no_text_raises_and_no_line_is_lost(text: str) -> None:
    for view in VIEWS.values():
        reading = NOTATION.read(text, view)
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        read = {line.number for line in (*reading.orders, *reading.standing)}
        refused = [refusal.line for refusal in reading.refusals]
        assert len(refused) == len(set(refused))
        assert not read & set(refused)
        for number, line in enumerate(lines, 1):
            says_something = any(sign.isalnum() for sign in line.partition("#")[0])
            assert says_something <= (number in read or number in refused), (number, line)
        for refusal in reading.refusals:
            assert refusal.text == lines[refusal.line - 1].strip()


@given(jumble)
def test_a_line_that_is_understood_is_understood_again_as_it_is_repeated(text: str) -> None:
    for view in VIEWS.values():
        reading = NOTATION.read(text, view)
        for line in (*reading.orders, *reading.standing):
            again = NOTATION.read(line.write("fr"), view)
            assert (*again.orders, *again.standing) == (line,)
            line.check(view)


@given(st.one_of(st.text(), jumble))
def test_no_plan_raises(text: str) -> None:
    for ask in (
        tile_question("attack", "A01", None),
        leader_question("attack", "FR1", "FR2"),
        capture_question("METZ"),
    ):
        said = NOTATION.preference(text, ask, VIEWS["WA", 4])
        assert said is None or ask.options.contains(said.value)
