"""What `autograph check` does: read each file, report on it, narrow and select, print."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from autograph.cli.files import Target, UsageError, find_definition, parse_target, read_program, write_result
from autograph.deep import with_room
from autograph.errors import AutographError, did_you_mean
from autograph.report.findings import CODES, Finding, Severity, finding_of_error, findings_of
from autograph.report.formats import to_github, to_json, to_text
from autograph.report.statements import Report, report_on
from autograph.source import parse_text

_SKIPPED = frozenset({"__pycache__", "node_modules", "site-packages"})


def run(options: argparse.Namespace) -> int:
    """Check each file, print what was found."""
    selected, ignored = _codes(options.select), _codes(options.ignore)
    targets = [target for text in options.targets for target in _files(text)]
    reports: list[Report] = []
    findings: list[Finding] = []
    for target in targets:
        report, found = check(target)
        reports += [report] if report is not None else []
        findings += [f for f in found if f.code.name == "AG001" or _is_wanted(f.code.name, selected, ignored)]
    write_result(_formatted(reports, findings, options), options.output)
    if any(finding.code.name == "AG001" for finding in findings):
        return 2
    return 1 if any(finding.severity is not Severity.NOTE for finding in findings) else 0


def _formatted(reports: list[Report], findings: list[Finding], options: argparse.Namespace) -> str:
    if options.format == "json":
        return to_json(reports, findings)
    if options.format == "github":
        return to_github(findings)
    return to_text(reports, findings, options.quiet)


def check(target: Target) -> tuple[Report | None, list[Finding]]:
    """The report on one file, narrowed to one definition in it, and the findings there."""
    shown = "<stdin>" if target.file == "-" else target.file
    try:
        text = read_program(target.file, may_be_empty=True)
        report = with_room(report_on, text, shown)
        findings = with_room(findings_of, report)
    except AutographError as error:
        return None, [finding_of_error(error, shown)]
    if target.name is not None:
        _narrow(report, text, target.name)
        names = {function.name for function in report.functions}
        findings = [finding for finding in findings if finding.function in names]
    return report, findings


def _narrow(report: Report, text: str, name: str) -> None:
    node = find_definition(parse_text(text, report.file), name, report.file)
    first, last = node.lineno, node.end_lineno or 0
    report.functions = [f for f in report.functions if first <= f.line and f.end_line <= last]


def _files(text: str) -> Iterator[Target]:
    """The file that an argument names, or the Python files below a directory, sorted."""
    target = parse_target(text)
    if target.file != "-" and not os.path.exists(target.file):
        read_program(target.file)  # the error of a file that is not there
    if not os.path.isdir(target.file):
        yield target
        return
    found = False
    for folder, folders, names in os.walk(target.file):
        folders[:] = sorted(f for f in folders if f not in _SKIPPED and not f.startswith("."))
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(".py") and os.path.isfile(path):  # no pipe, and no link to nowhere
                found = True
                yield Target(path, None)
    if not found:
        raise UsageError("there are no Python files in this directory", file=target.file)


def _codes(text: str | None) -> tuple[str, ...]:
    codes = tuple(code.strip() for code in (text or "").split(",") if code.strip())
    for code in codes:
        if not any(known.startswith(code) for known in CODES):
            raise UsageError(f"there is no code {code!r}{did_you_mean(code, CODES)}")
    return codes


def _is_wanted(code: str, selected: tuple[str, ...], ignored: tuple[str, ...]) -> bool:
    return (not selected or code.startswith(selected)) and not (ignored and code.startswith(ignored))
