"""What people ask for: each intent names its template sections, its share, the calls it means and the form of the answer.

An intent is data. `calls` turns the values of the slots into calls; `negative` intents have none and say why.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

Values = dict[str, str]
Call = tuple[str, dict[str, Any]]


class Intent(NamedTuple):
    name: str  # prefix of its sections: <name>.vp, <name>.s, <name>.np
    weight: float
    calls: Callable[[Values], Call] | None
    form: str = "text"
    task: str = "explain"
    category: str = ""  # of the tool, when empty
    reason: str = ""  # why a negative one is refused
    complexity: str = "low"
    script: tuple[str, ...] = ()  # labels of the script that answers it, best first


def _view(view: str) -> Callable[[Values], Call]:
    return lambda v: ("data_view", {"path": v["data"], "view": view})


def _scoped(tool: str, name: str, slot: str) -> Callable[[Values], Call]:
    def make(v: Values) -> Call:
        arguments = {name: v[slot]}
        if "place" in v:
            arguments["path"] = v["place"]
        return tool, arguments

    return make


def _command(v: Values) -> Call:
    return "run_command", {"command": v["command"]}


def _background(v: Values) -> Call:
    return "run_command", {"command": v["command"], "background": True}


def _git(command: str) -> Callable[[Values], Call]:
    return lambda v: ("run_command", {"command": command})


def _plan(action: str) -> Callable[[Values], Call]:
    return lambda v: ("plan", {"action": action, "text": v["task"]} if action != "show" else {"action": action})


def _skill(v: Values) -> Call:
    return "skill", {"name": v["skill"], **({"args": v["args"]} if "args" in v else {})}


def _promote(v: Values) -> Call:
    return "promote_skill", {
        "file": v["path"], "function": v["function"], "name": v["skill"], "description": v["purpose"],
    }


POSITIVE: tuple[Intent, ...] = (
    Intent("read", 10, lambda v: ("read_file", {"path": v["path"]})),
    Intent("read_from", 1.6, lambda v: ("read_file", {"path": v["path"], "from": int(v["line"])})),
    Intent("read_topic", 5.5, lambda v: ("read_file", {"path": v["path"]})),
    Intent("list_topic", 0.8, lambda v: ("list_files", {"path": v["folder"]}), "list"),
    Intent("list", 4, lambda v: ("list_files", {"path": v["folder"]}), "list"),
    Intent("list_root", 2.2, lambda v: ("list_files", {"path": "."}), "list"),
    Intent("quick_read", 2, lambda v: ("read_file", {"path": v["path"]})),
    Intent("quick_list", 1.5, lambda v: ("list_files", {"path": v["folder"]}), "list"),
    Intent("view_head", 1.3, _view("head")),
    Intent("view_tail", 0.7, _view("tail")),
    Intent("view_shape", 0.8, _view("shape")),
    Intent("view_columns", 0.9, _view("columns")),
    Intent("view_describe", 0.7, _view("describe")),
    Intent("view_sql", 1.4, lambda v: ("data_view", {"path": v["data"], "sql": v["sql"]})),
    Intent("results_list", 0.3, lambda v: ("list_results", {}), "list"),
    Intent("result_read", 0.4, lambda v: ("read_result", {"id": v["result"]})),
    Intent("result_read_from", 0.15, lambda v: ("read_result", {"id": v["result"], "from": int(v["line"])})),
    Intent("text", 9, _scoped("search_text", "pattern", "needle"), "list"),
    Intent("scoped", 1.6, _scoped("search_text", "pattern", "needle"), "list"),
    Intent("quick_search", 5, _scoped("search_text", "pattern", "needle"), "list"),
    Intent("logged", 1.2, _scoped("search_text", "pattern", "needle"), "list"),
    Intent("code", 2, _scoped("search_code", "query", "concept"), "list"),
    Intent("find", 3, lambda v: ("find_files", {"pattern": v["typed"]}), "list"),
    Intent("find_name", 1.8, lambda v: ("find_files", {"pattern": v.get("filename") or v["fragment"]}), "list"),
    Intent("named", 1.6, lambda v: ("find_files", {"pattern": v.get("filename") or v["fragment"]}), "list"),
    Intent("find_glob", 0.8, lambda v: ("find_files", {"pattern": v["glob"]}), "list"),
    Intent("new", 5, lambda v: ("write_file", {"path": v["newpath"], "content": v["content"]}), "done", "boilerplate"),
    Intent(
        "quick_write", 3, lambda v: ("write_file", {"path": v["newpath"], "content": v.get("content", "")}), "done",
        "boilerplate",
    ),
    Intent("empty", 0.8, lambda v: ("write_file", {"path": v["newpath"], "content": ""}), "done", "boilerplate"),
    Intent(
        "append", 3, lambda v: ("write_file", {"path": v["oldpath"], "content": v["content"], "append": True}),
        "done", "boilerplate",
    ),
    Intent(
        "append_item", 1.6,
        lambda v: ("write_file", {"path": v["oldpath"], "content": v["content"], "append": True}), "done", "boilerplate",
    ),
    Intent(
        "quick_append", 1.2,
        lambda v: ("write_file", {"path": v["oldpath"], "content": v["content"], "append": True}), "done", "boilerplate",
    ),
    Intent(
        "overwrite", 1, lambda v: ("write_file", {"path": v["oldpath"], "content": v["content"], "overwrite": True}),
        "done", "boilerplate",
    ),
    Intent(
        "edit", 8, lambda v: ("edit_file", {"path": v["path"], "old": v["old"], "new": v["new"]}), "done",
        "boilerplate",
    ),
    Intent(
        "quick_edit", 3, lambda v: ("edit_file", {"path": v["path"], "old": v["old"], "new": v["new"]}), "done",
        "boilerplate",
    ),
    Intent(
        "quick_delete_text", 0.3, lambda v: ("edit_file", {"path": v["path"], "old": v["old"], "new": ""}), "done",
        "boilerplate",
    ),
    Intent(
        "delete_text", 1, lambda v: ("edit_file", {"path": v["path"], "old": v["old"], "new": ""}), "done",
        "boilerplate",
    ),
    Intent("edit_all", 1.5, lambda v: ("edit_file", {"path": v["path"], "old": v["old"], "new": v["new"], "all": True}), "done", "boilerplate"),
    Intent("mkdir", 2.5, lambda v: ("make_folder", {"path": v["newfolder"]}), "done", "boilerplate"),
    Intent("copy", 2.2, lambda v: ("copy_file", {"from": v["path"], "to": v.get("newpath") or v["folder"]}), "done", "boilerplate"),
    Intent("move", 2.2, lambda v: ("move_file", {"from": v["path"], "to": v.get("newpath") or v["folder"]}), "done", "boilerplate"),
    Intent("delete", 1.8, lambda v: ("delete_file", {"path": v["path"]}), "done", "boilerplate"),
    Intent("patch", 0.3, lambda v: ("apply_patch", {"patch": v["patch"]}), "done", "boilerplate"),
    Intent("command", 7, _command, "exit", "orchestration"),
    Intent("quick_run", 1.5, _command, "exit", "orchestration"),
    Intent("command_bg", 0.7, _background, "done", "orchestration"),
    Intent("script", 1.5, _command, "exit", "orchestration"),
    Intent("test_run", 3, _command, "exit", "unit_test", script=("test", "test:unit", "check", "ci")),
    Intent("build_run", 1.4, _command, "exit", "orchestration", script=("build", "all", "dist", "build:prod")),
    Intent("lint_run", 0.9, _command, "exit", "orchestration", script=("lint", "check", "lint:fix")),
    Intent("format_run", 0.4, _command, "exit", "orchestration", script=("format", "fmt", "prettier")),
    Intent("typecheck_run", 0.4, _command, "exit", "orchestration", script=("typecheck", "types", "check")),
    Intent("start_run", 0.6, _command, "exit", "orchestration", script=("start", "serve", "run", "start:prod")),
    Intent("dev_run", 0.6, _command, "exit", "orchestration", script=("dev", "serve", "dev:server", "watch")),
    Intent("clean_run", 0.6, _command, "exit", "orchestration", script=("clean",)),
    Intent("bench_run", 0.4, _command, "exit", "orchestration", script=("bench", "benchmark")),
    Intent("deploy_run", 0.4, _command, "exit", "orchestration", script=("deploy", "release", "publish")),
    Intent("seed_run", 0.7, _command, "exit", "orchestration", script=("seed",)),
    Intent("migrate_run", 0.3, _command, "exit", "orchestration", script=("migrate", "db:migrate")),
    Intent("docs_run", 0.3, _command, "exit", "orchestration", script=("docs",)),
    Intent("install_run", 0.3, _command, "exit", "orchestration", script=("install", "setup")),
    Intent("coverage_run", 0.25, _command, "exit", "unit_test", script=("coverage",)),
    Intent("watch_run", 0.2, _command, "exit", "orchestration", script=("watch",)),
    Intent("file_run", 2.4, _command, "exit", "orchestration"),
    Intent("git_status", 0.6, _git("git status"), "exit", "explain"),
    Intent("git_diff", 0.5, _git("git diff"), "exit", "explain"),
    Intent("git_log", 0.5, _git("git log --oneline -20"), "exit", "explain"),
    Intent("git_branch", 0.4, _git("git branch"), "exit", "explain"),
    Intent("job_output", 0.6, lambda v: ("job_output", {"id": v["job"]}), "text", "orchestration"),
    Intent("job_stop", 0.6, lambda v: ("job_stop", {"id": v["job"]}), "done", "orchestration"),
    Intent("job_output_named", 0.4, lambda v: ("job_output", {"id": v["job"]}), "text", "orchestration"),
    Intent("job_stop_named", 0.4, lambda v: ("job_stop", {"id": v["job"]}), "done", "orchestration"),
    Intent("python", 1.3, lambda v: ("python", {"code": v["pycode"]})),
    Intent("javascript", 0.6, lambda v: ("javascript", {"code": v["jscode"]})),
    Intent("fetch", 2, lambda v: ("fetch_url", {"url": v["url"]})),
    Intent("remember", 2, lambda v: ("remember", {"text": v["fact"]}), "done", "boilerplate"),
    Intent("quick_remember", 1, lambda v: ("remember", {"text": v["fact"]}), "done", "boilerplate"),
    Intent("recall", 1.8, lambda v: ("recall", {"query": v["topic"]})),
    Intent("plan_show", 0.4, _plan("show"), "text", "planning"),
    Intent("plan_add", 0.7, _plan("add"), "done", "planning"),
    Intent("plan_done", 0.2, _plan("done"), "done", "planning"),
    Intent("plan_start", 0.15, _plan("start"), "done", "planning"),
    Intent("plan_note", 0.15, _plan("note"), "done", "planning"),
    Intent("skill", 0.6, _skill, "text", "orchestration"),
    Intent("promote", 0.2, _promote, "done", "orchestration"),
    Intent("system", 1, lambda v: ("system_info", {})),
    Intent("ask", 0.15, lambda v: ("ask_user", {"question": v["question"]})),
)

NEGATIVE: tuple[Intent, ...] = (
    Intent("chat", 3, None, category="answer", reason="chat"),
    Intent("real", 2.4, None, category="answer", reason="no-tool"),
    Intent("fileop", 1.2, None, category="run", reason="no-tool", task="orchestration"),
    Intent("set_value", 0.6, None, category="write", reason="unclear", task="boilerplate"),
    Intent("unclear", 1.8, None, category="answer", reason="unclear"),
    Intent("asked_only", 1.2, None, category="answer", reason="not-asked"),
    Intent("judged", 0.8, None, category="read", reason="too-hard", task="review", complexity="mid"),
    Intent("language", 0.8, None, category="answer", reason="too-hard"),
    Intent("noticed", 0.6, None, category="answer", reason="unclear"),
    Intent("math", 1, None, category="answer", reason="too-hard"),
    Intent("translate", 0.6, None, category="answer", reason="too-hard"),
    Intent("creative", 1, None, category="answer", reason="too-hard"),
    Intent("opinion", 0.8, None, category="answer", reason="too-hard"),
    Intent("knowledge", 1.8, None, category="answer", reason="too-hard"),
)

_HARD_CATEGORY = {
    "refactor": "write", "review": "read", "unit_test": "write", "planning": "meta", "orchestration": "meta",
    "security_review": "read", "debug": "read", "explain": "read", "generation": "write", "boilerplate": "write",
}  # fmt: skip
_HARD_WEIGHT = {
    "refactor": 1.3, "generation": 1.5, "debug": 1.4, "explain": 1.3, "orchestration": 0.7, "boilerplate": 0.9,
}


def hard_intents(sections: set[str]) -> tuple[Intent, ...]:
    """One per `hard.<task>.<complexity>` section of the phrase files."""
    names = sorted({section.rsplit(".", 1)[0] for section in sections if section.startswith("hard.")})
    found = []
    for name in names:
        _, task, complexity = name.split(".")
        weight = _HARD_WEIGHT.get(task, 1.0) * (1.0 if complexity == "mid" else 0.4)
        found.append(Intent(name, weight, None, "", task, _HARD_CATEGORY[task], "too-hard", complexity))
    return tuple(found)


def task_of(intent: Intent, call: Call | None, text: str) -> str:
    """A spelled out test command is testing, and renaming an identifier is refactoring, whatever the template."""
    if call and call[0] == "run_command" and _TESTING.match(call[1]["command"]):
        return "unit_test"
    if intent.name in ("edit", "quick_edit") and call and call[1]["old"].isidentifier() and _RENAMING.search(text):
        return "refactor"
    return intent.task


_RENAMING = re.compile(r"\brenam", re.IGNORECASE)
_TESTING = re.compile(
    r"(?:npx |python3? -m |uv run |poetry run |yarn |pnpm |npm |npm run |make |cargo |go |bun |deno )?"
    r"(?:test|tests|pytest|jest|vitest|mocha|ctest|phpunit|rspec|unittest|tox|nextest)\b"
)
