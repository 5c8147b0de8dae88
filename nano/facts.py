"""Commands that everyone means by the same words: what git knows, what the machine is and has. They only look, unless git is told to store.

Must equal src/nano/commands/facts.ts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from .spans import numbers_of

_MOST_COMMITS = 100
_CHANGED = r"(?:changed|changes|modified|touched|edited|different|dirty|uncommitted|unstaged)"
_PROGRAMS = r"node|npm|python3?|git|gcc|go|cargo|rustc|docker|java|ruby|php|make|pip3?|yarn|pnpm|bash|zsh|fish|R|cmake"


class _Entry(NamedTuple):
    asks: re.Pattern[str]
    command: Callable[[str], str]
    unless: re.Pattern[str] | None


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.ASCII)


_LAST_COMMIT = _pattern(r"\b(?:last|latest|newest|most recent) (?:git )?commit\b")
_BRANCHES = _pattern(r"\b(?:branches|list|all)\b")
_PROGRAM = _pattern(rf"\b({_PROGRAMS})(?:\.?js)?\b")


def _git_log(clause: str) -> str:
    count = next((number for number in numbers_of(clause) if not number.startswith("0") and int(number) <= _MOST_COMMITS), None)
    if count is not None:
        return f"git log --oneline -{count}"
    return "git log -1" if _LAST_COMMIT.search(clause) else "git log --oneline -20"


_COMMITS = r"\bcommit\b[^.;]*?\b(?:with (?:the )?(?:commit )?message|message|msg|as|saying|called)\b\s*(?:is\b|[:,=]|that says\b)?\s*[\"“'`]?([^\"”`\n]*[^\s\"”'`.!?])"


def _git_commit(clause: str) -> str:
    match = _pattern(_COMMITS).search(clause)
    return f'git commit -m "{match.group(1)}"' if match else "git commit"


def _git_branch(clause: str) -> str:
    return "git branch" if _BRANCHES.search(clause) else "git branch --show-current"


def _version_of(clause: str) -> str:
    match = _PROGRAM.search(clause)
    said = match.group(1) if match else "node"
    program = "python3" if said.lower() == "python" else said if said == "R" else said.lower()
    return "go version" if program == "go" else "java -version" if program == "java" else f"{program} --version"


def _entry(asks: str, command: str | Callable[[str], str], unless: str | None = None) -> _Entry:
    maker = command if callable(command) else lambda _: command
    return _Entry(_pattern(asks), maker, _pattern(unless) if unless else None)


_FACTS = (
    _entry(rf"\bgit diff\b.*\bnames?\b|\b{_CHANGED}\b.*\b(?:names only|only (?:the )?(?:file )?names|just (?:the )?(?:file )?names)", "git diff --name-only"),
    _entry(r"\b(?:git|diff)\b.*\bstaged\b|\bstaged\b.*\b(?:diff|changes)\b", "git diff --staged"),
    _entry(r"\b(?:git )?diff ?stat\b|\bgit diff\b.*\b(?:summary|stat)\b", "git diff --stat"),
    _entry(rf"\b(?:git )?diffs?\b|\bwhat\b.*\b{_CHANGED}\b|\b(?:my|our|the|these|local) (?:uncommitted |unstaged |local )?changes\b", "git diff"),
    _entry(
        rf"\bgit stat\w*\b|\b(?:status of (?:the )?(?:repo|git|tree|working)|repo status|working tree|anything (?:to commit|uncommitted|unstaged)|{_CHANGED} files|files .{{0,20}}{_CHANGED}|uncommitted)\b",
        "git status",
    ),
    _entry(r"\b(?:which|what|current|list|show|all)\b.{0,20}\bbranch(?:es)?\b|\bgit branch\b|\bbranch\b.{0,20}\b(?:am i|are we|we'?re|i'?m) on\b", _git_branch),
    _entry(
        r"\bgit (?:log|history)\b|\b(?:last|latest|recent|previous|newest|past)\b.{0,20}\bcommits?\b|\bcommit (?:log|history|messages)\b",
        _git_log, r"\bsince\b",
    ),
    _entry(r"\bgit add (?:everything|all|it all)\b|\bstage (?:everything|all)\b|\b(?:add|put) (?:everything|it all) (?:to|in) git\b", "git add -A"),
    _entry(
        _COMMITS, _git_commit,
        r"\bgit commit -|\b(?:last|latest|previous|my|his|her|their|our|the|a|an|this|that|\w+'s?) commit\b|\bcommit\b.*\b(?:msg|message|titled?) (?:was|said|says|reads?|read)\b",
    ),
    _entry(
        rf"\b(?:{_PROGRAMS})(?:\.?js)?\b.{{0,24}}\bver[si]\w*\b|\bver[si]\w*\b.{{0,24}}\b(?:{_PROGRAMS})(?:\.?js)?\b|\b(?:which|what) (?:{_PROGRAMS})\b.*\b(?:have|got|on|here|is|installed|running|machine|using)\b",
        _version_of,
        r"\b(?:in|from|of|to)\s+(?:the\s+)?(?:package|pyproject|requirements|readme|config|docker-?file|[\w-]+\.\w+)|[\"“'`]|\bset\b|\bbump\b|\bchange\b|\bupgrade\b",
    ),
    _entry(
        r"\b(?:dis[ck]|drive|laptop|machine|server|box)\b.{0,30}\b(?:full|space|free|left|usage|room|place)\b|\b(?:full|space|free|left|usage|room|place)\b.{0,30}\b(?:dis[ck]|drive|machine|laptop|computer)\b|\bdf\b|\bhow much (?:free )?(?:space|room|dis[ck])\b",
        "df -h", r"\b(?:folder|directory|project|repo|files?)\b",
    ),
    _entry(
        r"\b(?:how (?:big|large|much (?:space|room|dis[ck]))|size of|disk usage of|total size)\b.*\b(?:folder|directory|project|repo|it all|everything|whole thing|this)\b",
        "du -sh .",
    ),
    _entry(r"\b(?:free|how much|available|used)\b.{0,16}\b(?:memory|ram)\b|\b(?:memory|ram)\b.{0,16}\b(?:free|left|used|usage|available)\b", "free -h"),
    _entry(
        r"\b(?:what|which|today'?s?|current|tell|give)\b.{0,24}\b(?:date|day|time)\b(?! (?:zone|out|stamp))(?!\w)", "date",
        r"\b(?:in|of|from|for|on|at|does|do|did|is the|when|set|change|long|timeout|runtime)\b.{0,30}\b(?:\w+\.\w+|file|log|config|order|meeting|deadline|due|start|launch|release|appointment|lesson)\b|\bhow\b",
    ),
    _entry(r"\bwho ?am ?i\b|\bwhich user\b|\bwhat user\b|\b(?:my )?user ?name\b.*\b(?:here|machine|logged)\b|\blogged in as\b", "whoami"),
    _entry(r"\b(?:pwd|where am i|which folder (?:am i|are we)|what folder (?:am i|are we)|current (?:folder|directory|dir|path))\b", "pwd"),
    _entry(r"\buptime\b|\bhow long\b.*\b(?:machine|server|computer|box|laptop|pi)\b.*\b(?:up|running|on)\b", "uptime"),
    _entry(r"\b(?:which|what)\b.{0,16}\b(?:os|operating system|kernel|linux)\b", "uname -a"),
    _entry(r"\b(?:running|list|all|show)\b.{0,12}\bprocesses\b|\bwhat(?:'s| is) running\b", "ps aux"),
)  # fmt: skip


def facts_in(clause: str) -> list[str]:
    """The commands for the facts a clause asks for, the most specific first."""
    return [entry.command(clause) for entry in _FACTS if entry.asks.search(clause) and not (entry.unless and entry.unless.search(clause))]
