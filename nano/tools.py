"""Covey's tools as nano sees them: one line each, their parameters with the kind of value each takes.

The kind decides what a parameter may hold at run time (spans.py), so it is part of the format, not of the training alone.
Wire names, parameters and categories are fixed; the wording of a line is not: training paraphrases it.
"""

from __future__ import annotations

from typing import NamedTuple

CATEGORIES = ("read", "write", "search", "run", "web", "memory", "meta", "answer")


class Parameter(NamedTuple):
    name: str
    kind: str  # path | new_path | glob | command | url | id | word | text | number | flag | choice | line | part
    required: bool = True
    choices: tuple[str, ...] = ()


class Tool(NamedTuple):
    name: str
    category: str
    parameters: tuple[Parameter, ...]
    line: str


def _optional(name: str, kind: str, *choices: str) -> Parameter:
    return Parameter(name, kind, False, choices)


VIEWS = ("head", "tail", "shape", "columns", "describe")
PLAN_ACTIONS = ("show", "add", "start", "done", "note")
TOOL_CATEGORIES = CATEGORIES[:-1]

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "read_file",
            "read",
            (Parameter("path", "path"), _optional("from", "number"), _optional("to", "number")),
            "Read a text file",
        ),
        Tool("list_files", "read", (Parameter("path", "path"),), "List what is in a folder"),
        Tool(
            "data_view",
            "read",
            (Parameter("path", "path"), _optional("view", "choice", *VIEWS), _optional("sql", "text")),
            "Look into a CSV, TSV, JSON or Parquet file",
        ),
        Tool("read_result", "read", (Parameter("id", "id"), _optional("from", "number")), "Read a stored result"),
        Tool("list_results", "read", (), "List the stored results"),
        Tool("find_files", "search", (Parameter("pattern", "glob"),), "Find files by name"),
        Tool(
            "search_text",
            "search",
            (Parameter("pattern", "text"), _optional("path", "path")),
            "Search file contents for exact text or a regex",
        ),
        Tool(
            "search_code",
            "search",
            (Parameter("query", "text"), _optional("path", "path")),
            "Find code by what it does",
        ),
        Tool(
            "write_file",
            "write",
            (
                Parameter("path", "new_path"),
                Parameter("content", "text"),
                _optional("overwrite", "flag"),
                _optional("append", "flag"),
            ),
            "Create a file or append to one",
        ),
        Tool(
            "edit_file",
            "write",
            (Parameter("path", "path"), Parameter("old", "text"), Parameter("new", "text"), _optional("all", "flag")),
            "Replace text in a file",
        ),
        # Known to nano only: the program makes an edit_file of it.
        Tool(
            "change_line",
            "write",
            (Parameter("line", "line"), Parameter("old", "part"), Parameter("new", "text")),
            "Change part of a listed line",
        ),
        Tool("make_folder", "write", (Parameter("path", "new_path"),), "Make a folder"),
        Tool("copy_file", "write", (Parameter("from", "path"), Parameter("to", "new_path")), "Copy a file or folder"),
        Tool("move_file", "write", (Parameter("from", "path"), Parameter("to", "new_path")), "Move or rename a file or folder"),
        Tool("delete_file", "write", (Parameter("path", "path"),), "Delete a file or folder"),
        Tool("apply_patch", "write", (Parameter("patch", "text"),), "Apply a patch to files"),
        Tool(
            "propose_patch",
            "write",
            (Parameter("plan", "text"), Parameter("diff", "text"), Parameter("tests", "text")),
            "Store a patch for a person to review",
        ),
        Tool(
            "run_command",
            "run",
            (Parameter("command", "command"), _optional("background", "flag")),
            "Run a shell command",
        ),
        Tool("job_output", "run", (Parameter("id", "id"),), "Show what a background job printed"),
        Tool("job_stop", "run", (Parameter("id", "id"),), "Stop a background job"),
        Tool("python", "run", (Parameter("code", "text"),), "Run Python code"),
        Tool("javascript", "run", (Parameter("code", "text"),), "Run JavaScript code"),
        Tool("fetch_url", "web", (Parameter("url", "url"),), "Fetch a web page"),
        Tool("remember", "memory", (Parameter("text", "text"),), "Keep a fact for later"),
        Tool("recall", "memory", (Parameter("query", "text"),), "Look up a kept fact"),
        Tool(
            "plan",
            "meta",
            (Parameter("action", "choice", True, PLAN_ACTIONS), _optional("text", "text")),
            "Show or change the project plan",
        ),
        Tool("skill", "meta", (Parameter("name", "word"), _optional("args", "text")), "Use a skill by name"),
        Tool(
            "promote_skill",
            "meta",
            (
                Parameter("file", "path"),
                Parameter("function", "word"),
                Parameter("name", "word"),
                Parameter("description", "text"),
            ),
            "Make a function a tool",
        ),
        Tool("spawn_subagents", "meta", (Parameter("tasks", "text"),), "Start helpers that work in parallel"),
        Tool(
            "ask_user",
            "meta",
            (Parameter("question", "text"), _optional("options", "text")),
            "Ask the person a question",
        ),
        Tool("system_info", "meta", (), "Versions of the system and of what is installed"),
        Tool(
            "more_tools",
            "meta",
            (Parameter("category", "choice", True, TOOL_CATEGORIES),),
            "List the tools of a category",
        ),
        Tool(
            "select_category",
            "meta",
            (Parameter("category", "choice", True, CATEGORIES),),
            "Choose the kind of tool needed",
        ),
    )
}

# The engine shows one of these lists, by the category the classifier picked. All begin alike: most requests and every chain of
# everyday steps need nothing else, so a wrong category costs nothing, and what a prompt begins with stays in the cache.
COMMON = (
    "read_file", "list_files", "find_files", "search_text", "write_file", "edit_file", "change_line", "make_folder", "copy_file",
    "move_file", "delete_file", "run_command",
)  # fmt: skip
OFFERS: dict[str, tuple[str, ...]] = {
    "read": (*COMMON, "data_view", "read_result", "list_results"),
    "search": (*COMMON, "data_view", "search_code", "recall"),
    "write": (*COMMON, "data_view", "apply_patch"),
    "run": (*COMMON, "job_output", "job_stop", "python", "javascript"),
    "web": (*COMMON, "fetch_url", "recall"),
    "memory": (*COMMON, "remember", "recall"),
    "meta": (*COMMON, "plan", "skill", "promote_skill", "system_info", "ask_user"),
    "answer": (*COMMON, "data_view", "fetch_url"),
}


def signature(tool: Tool) -> str:
    """`data_view(path, [view=head|tail], [sql]) Look into a CSV …`: what the system message shows of a tool."""
    return f"{tool.name}({', '.join(_shown(parameter) for parameter in tool.parameters)}) {tool.line}"


def _shown(parameter: Parameter) -> str:
    text = parameter.name
    if parameter.choices:
        text += "=" + "|".join(parameter.choices)
    return text if parameter.required else f"[{text}]"
