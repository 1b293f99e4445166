"""Paths, reach and connection over a small board.

A - B - C
|   |   |
D - E - F - G     H stands alone
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine.board.areas import (
    Adjacency,
    asymmetry,
    connected,
    neighbours,
    reach,
    shortest_path,
    with_border,
)

BOARD: Adjacency = {
    "A": ("D", "B"),
    "B": ("A", "C", "E"),
    "C": ("B", "F"),
    "D": ("A", "E"),
    "E": ("F", "D", "B"),
    "F": ("G", "C", "E"),
    "G": ("F",),
    "H": (),
}


def test_neighbours_come_sorted() -> None:
    assert neighbours(BOARD, "E") == ("B", "D", "F")


def test_neighbours_that_may_not_be_entered_are_left_out() -> None:
    assert neighbours(BOARD, "E", lambda area: area != "D") == ("B", "F")


def test_reach_tells_steps_nearest_first() -> None:
    assert list(reach(BOARD, "A", 3).items()) == [("B", 1), ("D", 1), ("C", 2), ("E", 2), ("F", 3)]


def test_reach_of_no_steps_is_nothing() -> None:
    assert reach(BOARD, "A", 0) == {}


def test_reach_ends_where_the_board_ends() -> None:
    assert reach(BOARD, "H", 5) == {}
    assert set(reach(BOARD, "G", 50)) == set("ABCDEF")


def test_reach_goes_round_what_may_not_be_entered() -> None:
    assert reach(BOARD, "A", 4, enter=lambda area: area not in "BD") == {}
    assert reach(BOARD, "A", 3, enter=lambda area: area != "B") == {"D": 1, "E": 2, "F": 3}


def test_an_area_that_may_only_be_entered_ends_the_way() -> None:
    assert reach(BOARD, "A", 3, through=lambda area: area == "D") == {"B": 1, "D": 1, "E": 2}


def test_the_start_is_left_without_a_test() -> None:
    assert reach(BOARD, "A", 1, through=lambda area: area != "A") == {"B": 1, "D": 1}


def test_shortest_path_names_both_ends() -> None:
    assert shortest_path(BOARD, "C", "G") == ("C", "F", "G")


def test_equally_short_paths_are_settled_by_id() -> None:
    assert shortest_path(BOARD, "A", "F") == ("A", "B", "C", "F")  # not B-E, not D-E
    assert shortest_path(BOARD, "F", "A") == ("F", "C", "B", "A")


def test_a_detour_is_taken_round_what_may_not_be_passed() -> None:
    assert shortest_path(BOARD, "A", "F", lambda area: area not in "BC") == ("A", "D", "E", "F")


def test_the_ends_of_a_path_are_not_tested() -> None:
    assert shortest_path(BOARD, "A", "C", lambda area: area == "B") == ("A", "B", "C")
    assert shortest_path(BOARD, "A", "B", lambda area: False) == ("A", "B")


def test_no_way_is_none() -> None:
    assert shortest_path(BOARD, "A", "H") is None
    assert shortest_path(BOARD, "A", "G", lambda area: area != "F") is None


def test_the_way_to_where_one_stands() -> None:
    assert shortest_path(BOARD, "E", "E", lambda area: False) == ("E",)


def test_a_path_is_as_long_as_reach_says() -> None:
    for start in BOARD:
        for goal, steps in reach(BOARD, start, 9).items():
            path = shortest_path(BOARD, start, goal)
            assert path is not None
            assert len(path) == steps + 1
            assert all(b in BOARD[a] for a, b in pairwise(path))


def test_connected_follows_what_lies_inside() -> None:
    assert connected(BOARD, ["A"], lambda area: area in "ABCG") == frozenset("ABC")


def test_connected_from_several_sources() -> None:
    assert connected(BOARD, ["D", "G", "H"], lambda area: area in "ADGH") == frozenset("ADGH")


def test_a_source_outside_connects_nothing() -> None:
    assert connected(BOARD, ["E"], lambda area: area != "E") == frozenset()


def test_with_border() -> None:
    assert with_border(BOARD, ["A", "B"]) == frozenset("ABCDE")
    assert with_border(BOARD, []) == frozenset()


@pytest.mark.parametrize(
    ("board", "found"),
    [
        (BOARD, None),
        ({"A": ("B",), "B": ()}, ("A", "B")),
        ({"A": ("X",)}, ("A", "X")),
        ({"A": ("A",)}, ("A", "A")),
    ],
)
def test_a_border_known_to_one_side_only_is_found(board: Adjacency, found: tuple[str, str] | None) -> None:
    assert asymmetry(board) == found
