"""What every order language stands on: words, names, cursor, reader, refusals.

A text is cut into lines and each line into words (`scan`); a grammar reads them from left to right
(`cursor`) into frozen orders, or raises `Misread`; a bad line becomes one refusal, the others are read on
(`lines`). What an order means is found only when its question comes, on the seat's own view.
docs/adding-a-game.md has a small one in full. A new game writes in `notation/`:

`words.py` (data): a table of `Spellings` for each position of a line, symbol -> (English words, French
words), the canonical word first and without accents; `VOCABULARY = Keywords({"verb": VERBS, …})`, which
also tells a writer's language; `SCANNER = Scanner(signs="@ + - /", kept=".", ignored=",")`, in which what
is neither sign nor ignored is refused; `REASONS = {**COMMON, code: names of its facts}` and `EXPECTED =
(*COMMON_EXPECTED, kinds)`, for each of which the game's phrases have a sentence. In place of a sentence
stands a code, always.

`lexicon.py`: the pack's names as tables, `hexes = name_table((name, row.id) for row in … for name in
(row.id, *both(row), *row.aliases))`, made once for a pack (`@cache`); ids first, for the first keeps a word.
A `Cursor` (subclass: lexicon, writer's side, a method for each kind of name, `return
self.expect_name(self.lexicon.hexes, "hex")`) and a `Pen` (subclass: `vocabulary: ClassVar = VOCABULARY`,
how names are written).

`grammar.py`: a function for each verb, `read_move(cursor) -> Order`, in `READERS: symbol -> function`.
Tables are made once, `_TO = symbol_table(CLAUSES, only=["TO"])`. `cursor.seen` is the word in view; `accept`
and `accepts` pass it if it is in the table, `expect` raises, with what stood there, what should, and near
words to propose; `name`, `sees`, `number`, `skips(",")`, `arrow`, `operator`, `several(read_one)`. What
only the seat's own knowledge forbids is raised as `illegal(rule, reason, facts)`, two meanings as
`ambiguous(reason, meanings)`.

`lines.py`: the line, a frozen dataclass on `engine.kernel.game.Line` with `number` (compare=False),
`attempt(ask, view)` (what it means to that question; `answer` is the attempt if offered),
`write(language)`, for standing orders `slot()`, and `check(view)`.

`reader.py`: `class Reader(lines.Reader[OrderLine])` with `scanner`, `vocabulary` and `read_line(words,
number)`: a cursor, `verb = cursor.verb(_VERBS)`, `READERS[verb]`, `cursor.expect_end()`, the lines.
`Reader(text, view).reading()` is the answer to a letter: orders, standing orders, and all refusals at
once.

`writer.py`: topic -> the order that gives an answer; written with the pen it is read back as that answer.

`__init__.py`: `NOTATION`, an `engine.kernel.game.Notation` with `read`, `write_answer`, and whatever else of
its hooks the game needs.
"""
