"""What tools answer, made up: good results, failures, and what the model should do after each.

Nano never repeats a result in words of its own, so only its kind matters: whether it worked, how it looks, whether it suggests
another path. Wordings vary because other tools than Covey's own may stand behind a name.
"""

from __future__ import annotations

from typing import NamedTuple

from ..format import cut_result
from .intents import Call
from .project import Project
from .strings import Strings


class Result(NamedTuple):
    ok: bool
    text: str
    nearest: str = ""  # a path the failure suggests


def good(call: Call, project: Project, strings: Strings) -> Result:
    maker = _GOOD.get(call[0], _plain)
    return Result(True, cut_result(maker(call, project, strings)))


def bad(call: Call, project: Project, strings: Strings) -> Result:
    """A failure that fits the call."""
    name, arguments = call
    path = str(arguments.get("path", ""))
    if name in ("read_file", "list_files", "data_view", "edit_file") and path and strings.chance(0.6):
        return _missing(path, project, strings)
    if name == "edit_file":
        return Result(
            False,
            strings.pick(
                (
                    f"The old text is not in {path}. Nearest, line {strings.number(2, 90)}: {strings.code_line()}",
                    f"{path}: the old text occurs {strings.number(2, 9)} times; give more of it.",
                    "old text not found", "no match",
                )
            ),
        )
    if name == "write_file":
        return Result(
            False,
            strings.pick(
                (
                    f"{path} exists; use edit_file, or overwrite.", "permission denied",
                    f"{path} lies outside the project.", "The person said no.",
                )
            ),
        )
    if name == "fetch_url":
        return Result(
            False,
            strings.pick(
                (
                    "HTTP 404", "HTTP 500 Internal Server Error", "could not resolve host", "timed out after 30 s",
                    "The network is switched off.", "blocked: private address",
                )
            ),
        )
    if name == "run_command":
        return failed_command(strings)
    return Result(
        False,
        strings.pick(
            (
                "permission denied", "The person said no.", f"no such id; there are: job-{strings.number(1, 9)}",
                f"failed: {strings.sentence()}", strings.error_message(), "timed out", "not found",
                "not available here", "nothing found",
            )
        ),
    )


def failed_command(strings: Strings) -> Result:
    text = strings.pick(
        (
            strings.error_message(), strings.trace(), f"sh: {strings.any_word()}: command not found",
            f"{strings.number(1, 9)} tests failed, {strings.number(1, 99)} passed",
            f"{strings.relative_path()}:{strings.number(1, 400)}: error",
            f"make: *** [{strings.tech()}] Error {strings.number(1, 3)}",
        )
    )
    return Result(False, cut_result(f"exit code {strings.pick((1, 1, 1, 2, 127, 130, 137))}\n{text}"))


def _missing(path: str, project: Project, strings: Strings) -> Result:
    options = [strings.pick(project.files) for _ in range(strings.number(1, 3))] if project.files else []
    if not options or strings.chance(0.3):
        return Result(
            False,
            strings.pick(
                (
                    f"{path} does not exist.", f"no such file or directory: {path}", f"{path}: not found",
                    f"ENOENT: no such file, open '{path}'",
                )
            ),
        )
    listed = ", ".join(dict.fromkeys(options))
    text = strings.pick(
        (
            f"{path} does not exist. Nearest: {listed}", f"No file {path}; did you mean {options[0]}?",
            f"{path}: not found. There are: {listed}", f"There is no {path}. Nearest existing paths: {listed}",
        )
    )
    return Result(False, text, options[0])


def _read(call: Call, project: Project, strings: Strings) -> str:
    first = int(call[1].get("from", 1))
    lines = [
        strings.one_of(
            strings.code_line, strings.sentence, strings.list_item,
        ) for _ in range(strings.pick((1, 2, 4, 7, 12, 20)))
    ]
    return "\n".join(f"{first + at}\t{line}" for at, line in enumerate(lines))


def _list(call: Call, project: Project, strings: Strings) -> str:
    folder = str(call[1].get("path", "")).removeprefix("./").rstrip("/")
    prefix = "" if folder in ("", ".") else f"{folder}/"
    names = sorted(
        {path[len(prefix) :].split("/")[0] + ("/" if "/" in path[len(prefix) :] else "") for path in project.files if path.startswith(prefix)}
    )
    if not names:
        names = [strings.file_name() for _ in range(strings.number(0, 6))]
    return "\n".join(names) or strings.pick(("(empty)", "The folder is empty.", "0 entries"))


def _find(call: Call, project: Project, strings: Strings) -> str:
    paths = [strings.pick(project.files) for _ in range(strings.number(0, 8))] if project.files else []
    return "\n".join(sorted(set(paths))) or strings.pick(("No files match.", "0 files", "nothing found"))


def _search(call: Call, project: Project, strings: Strings) -> str:
    if strings.chance(0.15):
        return strings.pick(("No matches.", "0 matches", "nothing found"))
    wanted = str(call[1].get("pattern", call[1].get("query", "")))
    lines = []
    for _ in range(strings.number(1, 8)):
        path = strings.pick(project.files) if project.files else strings.relative_path()
        lines.append(f"{path}:{strings.number(1, 400)}: {strings.any_word()} {wanted} {strings.any_word()}"[:160])
    return "\n".join(lines)


def _written(call: Call, project: Project, strings: Strings) -> str:
    path = call[1].get("path", "")
    return strings.pick(
        (
            f"Wrote {path}.", f"{path}: {strings.number(1, 40)} lines written", f"Created {path}",
            f"Edited {path}: 1 replacement\n-{strings.code_line()}\n+{strings.code_line()}", "ok",
            f"{path} saved, syntax ok",
        )
    )


def _ran(call: Call, project: Project, strings: Strings) -> str:
    if call[1].get("background"):
        return f"job-{strings.number(1, 9)} started"
    lines = [
        strings.one_of(
            strings.sentence, strings.phrase, lambda: f"{strings.number(1, 99)} passed", strings.any_word,
            strings.code_line,
        ) for _ in range(strings.pick((0, 1, 1, 2, 5, 12, 30)))
    ]
    return "\n".join(["exit code 0", *lines])


def _table(call: Call, project: Project, strings: Strings) -> str:
    columns = [strings.tech() for _ in range(strings.number(2, 5))]
    view = call[1].get("view")
    if view == "columns":
        return "\n".join(columns)
    if view == "shape":
        return f"{strings.number(1, 99999)} rows, {len(columns)} columns"
    rows = [
        " | ".join(strings.one_of(strings.noun, strings.quantity) for _ in columns) for _ in range(strings.number(1, 6))
    ]
    return "\n".join([" | ".join(columns), *rows])


def _plain(call: Call, project: Project, strings: Strings) -> str:
    return strings.one_of(
        strings.prose, strings.text_block, lambda: "ok", lambda: "done", strings.quantity, strings.sentence,
    )


def _system(call: Call, project: Project, strings: Strings) -> str:
    n = strings.number
    system = strings.pick(("Linux 6.8", "macOS 15.1", "Windows 11", "Debian 12"))
    versions = f"node {n(18, 24)}.{n(0, 20)}.0\npython 3.{n(9, 14)}.{n(0, 9)}\ngit 2.{n(30, 50)}.0"
    return f"{system}, {n(2, 32)} cores, {n(4, 128)} GB\n{versions}"


_GOOD = {
    "read_file": _read, "list_files": _list, "find_files": _find, "search_text": _search, "search_code": _search,
    "write_file": _written, "edit_file": _written, "apply_patch": _written, "run_command": _ran, "data_view": _table,
    "system_info": _system,
}  # fmt: skip
