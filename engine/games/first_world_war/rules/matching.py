"""Which armies can serve which fronts at once: maximum bipartite matching in order of priority."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


def matched(posts: Sequence[int], armies: Sequence[str], fit: Mapping[str, frozenset[int]]) -> dict[int, str]:
    """Index of each post that can be manned -> its army; as many posts as possible.

    Posts (front numbers, a front once for each army it wants) are served in the order given, and a post once
    manned stays manned while armies are shifted for later ones. So the earlier posts are served as far as the
    armies suffice before a later one counts; among equals the first army in the list is taken.
    """
    manned: dict[int, str] = {}
    post_of: dict[str, int] = {}

    def man(post: int, tried: set[str]) -> bool:
        able = [army for army in armies if army not in tried and posts[post] in fit[army]]
        for army in sorted(able, key=post_of.__contains__):  # free ones first
            if army in tried:
                continue
            tried.add(army)
            holder = post_of.get(army)
            if holder is None or man(holder, tried):
                manned[post], post_of[army] = army, post
                return True
        return False

    for post in range(len(posts)):
        man(post, set())
    return manned


def served(posts: Iterable[int], fronts: Iterable[int]) -> int:
    """How many of the posts the armies standing on these fronts man, one army a post."""
    there = list(fronts)
    number = 0
    for post in posts:
        if post in there:
            there.remove(post)
            number += 1
    return number
