"""What introduces orders, or tells how to reach their writer, asks for nothing."""

from __future__ import annotations

import pytest

from pbem.orders.text import Courtesy

MAX = Courtesy("Max Brandt", ("Erik Holm",), "T1.R/17")
NOTHING = """Here are my orders:
Please find my orders below:
And now my orders
My turn:
My orders as discussed
These are my orders for turn 1:
So here are my orders for T1.R:
Here we go!
Sorry for the delay,
I'd like to do the following:
Voici mes ordres :
Mes ordres pour le tour 1 :
Ci-dessous mes ordres
Veuillez trouver mes ordres ci-dessous :
Je joue :
Désolé pour le retard, voici mes ordres :
Tel: +49 30 1234567
Tél. : 01 23 45 67 89
M: +33 6 12 34 56 78
T +49 30 1234567 | F +49 30 7654321
max.brandt@de.test
E-mail : max@de.test
Web: www.brandt.de
https://www.brandt.de/
Max Brandt"""
SOMETHING = """Here are my orders for turn 2:
orders for T2
These are not my orders
my old orders
No orders
What are my orders?
Are these my orders?
Orders for the next turn
Mes ordres pour le tour 12
T1
M INF1
T 12345678
F2 > 3
C@TRI
M: 12
1 2 3 4 5 6 7 8
Here is my plan
the round"""


@pytest.mark.parametrize("text", NOTHING.splitlines())
def test_it_asks_for_nothing(text: str) -> None:
    assert MAX.is_courtesy(text)


@pytest.mark.parametrize("text", SOMETHING.splitlines())
def test_it_may_ask_for_something(text: str) -> None:
    assert not MAX.is_courtesy(text)
