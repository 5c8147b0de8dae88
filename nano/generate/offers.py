"""Which tools a prompt shows, and under what names.

Mostly the list the engine would show. Sometimes a random one, other words, other names or tools nobody knows: so the model
reads the list instead of remembering it.
"""

from __future__ import annotations

from typing import NamedTuple

from ..tools import OFFERS, TOOLS, Tool, signature
from .strings import Strings

OTHER_LINES = {
    "make_folder": ("Create a directory", "Make a new folder", "mkdir"),
    "copy_file": ("Copy a path", "Duplicate a file", "Make a copy of a file or folder"),
    "move_file": ("Rename a file", "Move a path to another place", "Rename or move"),
    "delete_file": ("Remove a file", "Delete a path", "Remove a file or folder"),
    "read_file": (
        "Open a file and return its text", "Show the contents of a file", "Read a file from the project",
        "Get the text of a file, numbered lines", "Read a text file, page by page",
    ),
    "list_files": (
        "List a directory", "Show the files in a folder", "Directory listing",
        "Names of the files and folders in a path", "List files and folders",
    ),
    "data_view": (
        "View a table file", "Inspect tabular data or query it with SQL", "Head, tail, shape, columns of a data file",
        "Look at CSV or JSON data",
    ),
    "read_result": ("Show a kept result again", "Read a long result page by page", "Get a stored tool result by id"),
    "list_results": ("Show which results are stored", "List kept tool results", "Names of stored results"),
    "find_files": (
        "Find files matching a glob", "Search for file names", "Glob search", "Find files by name or pattern",
        "Locate files by glob pattern"
    ),
    "search_text": (
        "Search text in files", "Grep the project", "Find lines that match a pattern", "Full text search with regex",
        "Find a string or regex in file contents",
    ),
    "search_code": (
        "Semantic code search", "Find code by meaning", "Ask the code index",
        "Search the code by what it does, with citations",
    ),
    "write_file": (
        "Write a file", "Create a new file with content", "Save text to a file", "Create or append to a file",
    ),
    "edit_file": (
        "Change part of a file", "Replace one text by another in a file", "Edit a file by search and replace",
        "Swap old text for new text in a file"
    ),
    "apply_patch": ("Apply a unified diff", "Apply a diff or patch, all or nothing"),
    "propose_patch": ("Save a proposed change for review",),
    "run_command": (
        "Execute a command in the shell", "Run a program", "Execute a terminal command",
        "Run a command and return its output and exit code",
    ),
    "job_output": ("Output of a background job", "Read what a job printed since last time"),
    "job_stop": ("Kill a background job", "End a running job"),
    "python": ("Execute Python", "A Python interpreter that keeps its state", "Evaluate Python code"),
    "javascript": ("Execute JavaScript", "Evaluate JavaScript code"),
    "fetch_url": ("Download a URL", "Get a page from the web", "HTTP GET a URL as text", "Read a web page"),
    "remember": ("Store a fact in memory", "Save something to long-term memory", "Remember a fact across sessions"),
    "recall": ("Search the memory", "Find remembered facts", "Look something up in long-term memory"),
    "plan": ("The project plan and its tasks", "Manage the plan", "Show the plan, add or finish tasks"),
    "skill": ("Load and run a skill", "Use one of the skills", "Run a named skill with arguments"),
    "promote_skill": ("Turn a function into a tool", "Register a function of the project as a tool"),
    "spawn_subagents": ("Start subagents for parallel tasks", "Delegate tasks to subagents"),
    "ask_user": ("Ask the user", "Put a question to the person"),
    "system_info": ("System information", "Show versions of installed programs and the OS", "About this machine"),
    "more_tools": ("Show more tools of a category", "Find further tools"),
    "select_category": ("Pick a tool category", "Choose which tools to see"),
}  # fmt: skip

OTHER_NAMES = {
    "read_file": (
        "open_file", "view_file", "cat", "get_file_contents", "file_read", "mcp__fs__read", "view", "load_text",
        "ReadFile",
    ),
    "list_files": ("ls", "list_dir", "list_directory", "dir", "mcp__fs__list", "show_folder", "ListDir", "tree"),
    "find_files": ("glob", "find", "find_by_name", "locate", "mcp__fs__glob", "file_search", "FindFile"),
    "search_text": ("grep", "rg", "grep_search", "search", "find_in_files", "mcp__fs__grep", "Grep", "text_search"),
    "write_file": ("create_file", "save_file", "write", "put_file", "mcp__fs__write", "new_file", "WriteFile"),
    "edit_file": ("replace_in_file", "str_replace", "edit", "modify_file", "mcp__fs__edit", "substitute", "Edit"),
    "run_command": ("bash", "shell", "exec", "terminal", "execute", "run_shell", "mcp__sh__run", "Bash", "run"),
    "fetch_url": ("http_get", "web_fetch", "curl", "browse", "get_page", "mcp__web__get", "download", "WebFetch"),
    "remember": ("save_memory", "store_fact", "memory_add", "mcp__memory__add", "note"),
    "recall": ("search_memory", "memory_search", "mcp__memory__find", "lookup_fact"),
    "python": ("py", "run_python", "python_exec", "ipython"),
    "data_view": ("table", "inspect_data", "view_table", "csv_view"),
    "search_code": ("code_search", "semantic_search", "codebase_search"),
}  # fmt: skip

OTHER_PARAMETERS = {
    "path": (
        "file", "filename", "file_path", "target", "name", "p",
    ), "pattern": ("query", "regex", "text", "q", "needle"),
    "content": ("text", "body", "data"), "old": ("search", "find", "old_string", "before", "old_text"),
    "new": ("replace", "replacement", "new_string", "after", "new_text"), "command": ("cmd", "script", "line", "shell"),
    "url": (
        "address", "link", "uri", "page",
    ), "text": ("fact", "note", "content"), "query": ("q", "topic", "about", "search"),
    "code": ("source", "script", "expression"), "from": ("line", "start", "offset"),
}  # fmt: skip


class Shown(NamedTuple):
    """One tool of a list: the line, the name the call must use, and its parameters' names where they differ."""

    tool: str
    name: str
    line: str
    renamed: dict[str, str]


def show(tool: Tool, strings: Strings, rename: bool = False, other_line: bool = False) -> Shown:
    line = strings.pick(OTHER_LINES.get(tool.name, (tool.line,))) if other_line else tool.line
    name = strings.pick(OTHER_NAMES[tool.name]) if rename and tool.name in OTHER_NAMES else tool.name
    renamed: dict[str, str] = {}
    parameters = tool.parameters
    if rename and strings.chance(0.6):
        renamed = {p.name: strings.pick(OTHER_PARAMETERS[p.name]) for p in parameters if p.name in OTHER_PARAMETERS}
        if len(set(renamed.values())) < len(renamed):
            renamed = {}
        parameters = tuple(p._replace(name=renamed.get(p.name, p.name)) for p in parameters)
    return Shown(tool.name, name, signature(Tool(name, tool.category, parameters, line)), renamed)


def canonical(category: str) -> list[str]:
    """The lines as the program shows them, whatever the client has: how many there are must say nothing."""
    return [signature(TOOLS[name]) for name in OFFERS[category]]


def choose(needed: tuple[str, ...], category: str, strings: Strings) -> list[Shown]:
    """A list that holds every needed tool: nearly always one of the program's, now and then in other words or another order."""
    if any(tool not in OFFERS[category] for tool in needed):
        category = next((name for name, names in OFFERS.items() if all(tool in names for tool in needed)), category)
    names = [*OFFERS[category], *(tool for tool in needed if tool not in OFFERS[category])]
    if strings.chance(0.9):
        return [show(TOOLS[name], strings) for name in names]
    if strings.chance(0.5):
        strings.random.shuffle(names)
    rename, other_lines = strings.chance(0.5), strings.chance(0.5)
    return [
        show(TOOLS[name], strings, rename and strings.chance(0.7), other_lines and strings.chance(0.6)) for name in names
    ]
