/**
 * The program that runs inside python3. It forks at once: the child runs the code, the parent speaks the messages and
 * hears everything the child and its children print. So nothing printed is taken for a message, and what was printed
 * before a crash is heard after it.
 */
export const pythonDriver = String.raw`
import sys
sys.path.pop(0)  # A file of the project must not stand in for one of these.
import ast, builtins, codecs, json, linecache, os, select, struct, textwrap, traceback, types
sys.path.insert(0, '')

def speak(worker, source, verdicts):
    decoder = codecs.getincrementaldecoder('utf-8')('replace')

    def send(message):
        body = json.dumps(message).encode()
        sys.stdout.buffer.write(struct.pack('>I', len(body)) + body)
        sys.stdout.buffer.flush()

    def forward(pieces):
        while pieces and select.select([source], [], [], 0)[0]:
            text = decoder.decode(os.read(source, 65536))
            if text:
                send({'output': text})
            pieces -= 1

    send({'ready': True})
    while True:
        ready = select.select([source, verdicts], [], [], 1)[0]
        verdict = os.read(verdicts, 1) if verdicts in ready else b''
        # More than the pipe holds, so that all the call has printed comes before its end.
        forward(32 if verdict else 1)
        if verdict == b'b':
            send({'begin': True})
            continue
        if verdict:
            send({'end': verdict == b'1'})
            continue
        ended, status = os.waitpid(worker, 0 if verdicts in ready else os.WNOHANG)
        if ended:
            forward(32)
            os._exit(128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))

def work(sink, verdicts):
    requests = os.fdopen(os.dup(0), 'rb')
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    streams = [console(1), console(2)]
    builtins.input = no_input
    main = types.ModuleType('__main__')
    main.__dict__['__builtins__'] = builtins
    sys.modules['__main__'] = main
    process, count = os.getpid(), 0
    while True:
        header = requests.read(4)
        if len(header) < 4:
            os._exit(0)
        request = json.loads(requests.read(struct.unpack('>I', header)[0]))
        count += 1
        sys.stdout, sys.stderr = streams
        os.write(verdicts, b'b')
        ok = attempt(request['code'], '<call %d>' % count, main.__dict__, streams[1])
        # Code may close what it printed to; that is no end.
        streams = [console(fd) if stream.closed else stream for fd, stream in zip((1, 2), streams)]
        for stream in streams:
            stream.flush()
        if os.getpid() != process:
            os._exit(0)  # A child that the code forked must not answer in its parent's place.
        os.write(verdicts, b'1' if ok else b'0')

def console(fd):
    return open(fd, 'w', buffering=1, encoding='utf-8', errors='backslashreplace', closefd=False)

def no_input(*_):
    raise EOFError('input() is not possible: there is no terminal; put the value into the code')

def attempt(code, name, space, errors):
    try:
        execute(code, name, space)
        return True
    except SystemExit as error:
        print('[exit %s: the interpreter goes on]' % (error.code or 0), file=errors)
        return not error.code
    except BaseException as error:
        # Code that cannot be read failed nowhere; the error itself shows the line.
        place = None if isinstance(error, SyntaxError) and error.filename == name else error.__traceback__
        while place and place.tb_frame.f_code.co_filename == '<string>':
            place = place.tb_next
        traceback.print_exception(type(error), error, place, file=errors)
        return False

def execute(code, name, space):
    code = textwrap.dedent(code)  # Models copy code with the indentation it stood in.
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    tree = ast.parse(code, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, 'exec'), space)
    if last is None:
        return
    value = eval(compile(ast.Expression(last.value), name, 'eval'), space)
    if value is not None:
        space['_'] = value
        print(repr(value))

source, sink = os.pipe()
verdicts, verdict = os.pipe()
worker = os.fork()
for end in (sink, verdict) if worker else (source, verdicts):
    os.close(end)
if worker:
    os.close(0)
    speak(worker, source, verdicts)
else:
    work(sink, verdict)
`
