/** What runs in Python's sandbox: looks at a function without running it, runs its example, or calls it. */
export const PYTHON_SCRIPT = String.raw`
import ast, base64, contextlib, doctest, inspect, io, json, linecache, re, sys, traceback, types

mode, mark, encoded, name, given = sys.argv[1:6]
source = base64.b64decode(encoded).decode('utf-8')
sys.argv = [name]
sys.stdout.reconfigure(encoding='utf-8', errors='backslashreplace')
sys.stderr.reconfigure(encoding='utf-8', errors='backslashreplace')
answer = sys.stdout


def say(value):
    sys.stdout.flush()
    answer.write('\n' + mark + json.dumps(value) + '\n')
    answer.flush()


def schema(node):
    if isinstance(node, ast.Constant):
        if node.value is None:
            return {'type': 'null'}
        if isinstance(node.value, str):
            return schema(ast.parse(node.value, mode='eval').body)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return either([node.left, node.right])
    if isinstance(node, (ast.Name, ast.Attribute)):
        plain = {
            'str': {'type': 'string'}, 'int': {'type': 'integer'}, 'float': {'type': 'number'},
            'bool': {'type': 'boolean'}, 'None': {'type': 'null'}, 'Any': {}, 'object': {},
            'list': {'type': 'array', 'items': {}}, 'dict': {'type': 'object', 'additionalProperties': {}},
        }
        return plain[base(node)]
    if isinstance(node, ast.Subscript):
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        kind = base(node)
        if kind in ('list', 'sequence', 'iterable') and len(inner) == 1:
            return {'type': 'array', 'items': schema(inner[0])}
        if kind in ('dict', 'mapping') and len(inner) == 2 and schema(inner[0]) == {'type': 'string'}:
            return {'type': 'object', 'additionalProperties': schema(inner[1])}
        if kind == 'Optional' and len(inner) == 1:
            return either([inner[0], ast.Constant(None)])
        if kind == 'Union':
            return either(inner)
        if kind == 'Literal' and all(isinstance(item, ast.Constant) for item in inner):
            return {'enum': [item.value for item in inner]}
    raise KeyError(node)


def base(node):
    if isinstance(node, ast.Subscript):
        node = node.value
    word = node.attr if isinstance(node, ast.Attribute) else getattr(node, 'id', '')
    return word.lower() if word in ('List', 'Dict', 'Sequence', 'Iterable', 'Mapping') else word


def either(nodes):
    found = []
    for node in nodes:
        one = schema(node)
        found += one['anyOf'] if 'anyOf' in one else [one]
    return {'anyOf': found}


def look():
    problems, properties, required = [], {}, []
    tree = ast.parse(source)
    functions = [n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    found = [n for n in functions if n.name == name]
    if not found:
        names = ', '.join(n.name for n in functions) or 'none'
        return {'problems': ['there is no function %s at the top of the file; there are: %s' % (name, names)]}
    node = found[-1]
    a = node.args
    if a.vararg or a.kwarg or a.posonlyargs:
        problems.append('it takes *args, **kwargs or positional-only parameters; name every parameter')
    positional = [(p, i >= len(a.args) - len(a.defaults)) for i, p in enumerate(a.args)]
    for p, has_default in positional + [(p, d is not None) for p, d in zip(a.kwonlyargs, a.kw_defaults)]:
        if p.annotation is None:
            problems.append('parameter %s has no type; write one, such as %s: str' % (p.arg, p.arg))
            continue
        try:
            properties[p.arg] = schema(p.annotation)
        except Exception:
            problems.append('the type of %s, %s, cannot come from JSON; use str, int, float, bool, list, dict, '
                            'Optional, Union or Literal' % (p.arg, ast.unparse(p.annotation)))
        if not has_default:
            required.append(p.arg)
    if node.returns is None:
        problems.append('it has no return type; write one, such as -> str')
    doc = ast.get_docstring(node)
    if not doc:
        problems.append('it has no docstring')
    elif not examples(doc) and not block(doc):
        problems.append('its docstring has no example; add a line such as >>> %s(...)' % name)
    parameters = {'type': 'object', 'properties': properties, 'required': required}
    summary = (doc or '').strip().split('\n')[0]
    return {'problems': problems, 'parameters': parameters, 'summary': summary}


def examples(doc):
    return doctest.DocTestParser().get_examples(doc)


def block(doc):
    found = re.search(r'^[ \t]*Examples?:[ \t]*(.*(?:\n(?:[ \t]+.*|[ \t]*))*)', doc, re.M)
    return inspect.cleandoc(found.group(1)) if found and found.group(1).strip() else ''


def load():
    module = types.ModuleType('promoted')
    module.__file__ = name + '.py'
    sys.modules['promoted'] = module
    linecache.cache[module.__file__] = (len(source), None, source.splitlines(True), module.__file__)
    exec(compile(source, module.__file__, 'exec'), module.__dict__)
    return module.__dict__


def rehearse():
    space = load()
    doc = inspect.getdoc(space[name]) or ''
    found = examples(doc)
    if not found:
        exec(compile(block(doc), '<example>', 'exec'), space)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    for one in found:
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(one.source, '<example>', 'single'), space)
        except Exception as error:
            said = traceback.format_exception_only(type(error), error)[-1]
            if one.exc_msg is None or not doctest.OutputChecker().check_output(one.exc_msg, said, flags):
                raise
            continue
        got = printed.getvalue()
        if one.want and not doctest.OutputChecker().check_output(one.want, got, flags):
            raise AssertionError('%s gave %s, its docstring says %s' % (
                one.source.strip(), got.strip()[:500] or 'nothing', one.want.strip()[:500]))
    return 'ok'


def call():
    result = load()[name](**json.loads(base64.b64decode(given)))
    if inspect.iscoroutine(result):
        import asyncio
        result = asyncio.run(result)
    return result


def plain(value):
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if hasattr(value, '__dataclass_fields__'):
        return vars(value)
    return str(value)


def shown(value):
    if isinstance(value, str):
        text = value
    else:
        try:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=plain)
        except (TypeError, ValueError):
            text = repr(value)
    return text if len(text) <= 40000 else text[:40000] + '\n[... %d more characters]' % (len(text) - 40000)


try:
    if mode == 'look':
        say({'ok': True, 'text': json.dumps(look())})
    else:
        say({'ok': True, 'text': shown(rehearse() if mode == 'rehearse' else call())})
except SyntaxError as error:
    say({'ok': False, 'text': 'line %s: %s: %s' % (error.lineno, type(error).__name__, error.msg)})
    sys.exit(1)
except BaseException as error:
    frames = error.__traceback__
    while frames and frames.tb_frame.f_code.co_filename == '<string>' and frames.tb_next:
        frames = frames.tb_next
    lines = ''.join(traceback.format_exception(type(error), error, frames)).rstrip().split('\n')
    say({'ok': False, 'text': '\n'.join(lines[-12:])})
    sys.exit(1)
`
