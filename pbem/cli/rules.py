"""`pbem rules`: what became of a game's rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table as Grid

from engine.kernel.game import Game, Language
from engine.kernel.register import Register, RegisterReport, Rule
from pbem.campaigns.rulebook import Option, find_option, load_rulebook, rule_tests, tests_folder
from pbem.campaigns.terms import find_game
from pbem.cli.terminal import complain, console, read_language, show_json
from pbem.errors import BadInput
from pbem.letters.phrases import Phrases, load_phrases
from pbem.letters.render import hang


def rules_command(
    game: Annotated[str, typer.Argument(help="the game's id")],
    rule: Annotated[str, typer.Argument(help="a rule, a section or an option: 6.1-4, 6.1, hand_scope")] = "",
    every: Annotated[bool, typer.Option("--all", help="list every rule of the register")] = False,
    tests: Annotated[Path | None, typer.Option(help="folder of the tests that name rules")] = None,
    lang: Annotated[str, typer.Option(help="en or fr")] = "en",
    as_json: Annotated[bool, typer.Option("--json", help="print as JSON")] = False,
) -> None:
    """Tell what became of a game's rules, or show one rule; exit code 1 if one is missing or untested."""
    language = read_language(lang)
    found = find_game(game)
    register = load_rulebook(found.id)
    if register is None:
        raise BadInput(f"{found.id} has no register of rules")
    phrases = load_phrases(found.id, language, found.load_pack())
    if every:
        _list_rules(register, phrases, as_json)
        return
    if rule:
        _show(found, register, rule, phrases, as_json)
        return
    folder = tests_folder(tests)
    if folder is None:
        complain(
            "no folder of tests lies beside the package: what is tested is not told (name one with --tests)"
        )
    report = register.report(folder, rule_tests(folder, found.id)) if folder is not None else None
    figures = _figures(register, report)
    if as_json:
        show_json(figures)
    else:
        _print(register, figures, report, phrases)
    if figures["unimplemented"] or figures["untested"]:
        raise typer.Exit(1)


def _figures(register: Register, report: RegisterReport | None) -> dict[str, Any]:
    def of(status: str) -> list[str]:
        return [rule.id for rule in register.rules.values() if rule.status == status]

    return {
        "total": len(register.rules),
        "implemented": len(of("implemented")),
        "options": len(of("option")),
        "not_applicable": of("not_applicable"),
        "unimplemented": of("unimplemented"),
        "untested": list(report.untested) if report is not None else None,
    }


def _print(
    register: Register, figures: dict[str, Any], report: RegisterReport | None, phrases: Phrases
) -> None:
    out = console()
    grid = Grid.grid(padding=(0, 2))
    for name in ("total", "implemented", "options"):
        grid.add_row(phrases.word("rules_counted", what=name), str(figures[name]))
    for name in ("not_applicable", "unimplemented", "untested"):
        count = "?" if figures[name] is None else str(len(figures[name]))
        grid.add_row(phrases.word("rules_counted", what=name), count)
    out.print(grid)
    for name in ("unimplemented", "untested"):
        for rule in figures[name] or ():
            out.print(escape(f"{phrases.word('rules_counted', what=name)}: {rule}"))
    for rule in figures["not_applicable"]:
        reason = register.rules[rule].reason
        out.print(escape(hang(reason[phrases.language] if reason is not None else "", f"{rule}: ")))
    for sentence in report.unknown if report is not None else ():
        out.print(escape(f"{phrases.word('rules_counted', what='unknown')}: {sentence}"))
    out.print(escape(phrases.word("rules_more", game=phrases.game)), soft_wrap=True)


# ------------------------------------------------------------------ rules


def _list_rules(register: Register, phrases: Phrases, as_json: bool) -> None:
    """Every rule on a line of its own: id, what became of it, what it says."""
    rules = tuple(register.rules.values())
    if as_json:
        show_json([_rule_data(rule, phrases.language) for rule in rules])
        return
    wide = max(len(rule.id) for rule in rules)
    for rule in rules:
        status = phrases.word("rule_status", status=rule.status, ruling=rule.ruling)
        switch = f" ({rule.switch})" if rule.switch is not None else ""
        print(f"{rule.id:{wide}}  {status}{switch}: {rule.title[phrases.language]}")


def _show(game: Game, register: Register, asked: str, phrases: Phrases, as_json: bool) -> None:
    """A rule, a section, or an option with the rules that it turns."""
    option = find_option(game, asked)
    if option is None:
        rules = register.about(asked)
    else:
        rules = tuple(rule for rule in register.rules.values() if rule.switch == option.name)
    if not rules and option is None:
        raise BadInput(
            f"no rule {asked!r} in the register, and no option; pbem rules {game.id} --all lists all"
        )
    if as_json:
        data = [_rule_data(rule, phrases.language) for rule in rules]
        show_json(data if option is None else {**asdict(option), "rules": data})
        return
    if option is not None:
        _print_option(option, phrases)
    _print_rules(rules, phrases)


def _print_option(option: Option, phrases: Phrases) -> None:
    known = phrases.has("options", option.name)
    print(hang(phrases.say("options", option.name) if known else "", f"{option.name}  "))
    values = ", ".join(option.values)
    print("    " + phrases.word("option_values", values=values, default=option.default))


def _print_rules(rules: Sequence[Rule], phrases: Phrases) -> None:
    for rule in rules:
        print(hang(rule.title[phrases.language], f"{rule.id}  "))
        print("    " + phrases.word("rule_status", status=rule.status, ruling=rule.ruling))
        if rule.reason is not None:
            print(hang(phrases.word("rule_reason", reason=rule.reason[phrases.language]), "    "))
        if rule.switch is not None:
            print("    " + phrases.word("rule_switch", switch=rule.switch))


def _rule_data(rule: Rule, language: Language) -> dict[str, Any]:
    reason = rule.reason[language] if rule.reason is not None else None
    return {**asdict(rule), "title": rule.title[language], "reason": reason}
