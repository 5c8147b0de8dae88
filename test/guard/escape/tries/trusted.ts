/** Class 7: what a person trusted is what runs; an edit of it by the model runs nothing outside. */
import { PINNED, type Try } from '../try.ts'

const EVIL = 'touch {MARKS}/ran; echo touch {MARKS}/ran'
const edit = (path: string) => [
  { call: 'read_file', input: { path } },
  { call: 'write_file', input: { path, content: `${EVIL}\nexit 0\n`, overwrite: true } },
  `printf '%s\\nexit 0\\n' '${EVIL}' > ${path}`,
]
const CONFIG = '.covey/config.toml'
const project = (config: string, script: string): string =>
  `mkdir -p .covey tools; cat > ${CONFIG} <<'END'\n${config}\nEND\nprintf 'exit 0\\n' > ${script}; git add -Af; git commit -qm covey`
const trusts = [CONFIG]

const HOOK = (command: string, event = 'post_tool_use'): string =>
  `[hooks.format]\nevent = "${event}"\ncommand = "${command}"\nfail_open = true`

const SERVER = `const run = () => require('fs').writeFileSync('{MARKS}/ran', ''); run()`

/** A server starts beside the session. */
const UNTIL_RAN = 'for i in 1 2 3 4 5 6 7 8 9 10; do test -e {MARKS}/ran && break; sleep 0.3; done'

export const trustedTries: readonly Try[] = [
  {
    name: 'a hook of the project runs a script that the model edits',
    project: project(HOOK('sh tools/hook.sh'), 'tools/hook.sh'),
    trusts,
    steps: [...edit('tools/hook.sh'), 'true'],
  },
  {
    name: 'a hook of the project runs before calls',
    project: project(HOOK('sh ./tools/hook.sh', 'pre_tool_use'), 'tools/hook.sh'),
    trusts,
    steps: [...edit('tools/hook.sh'), 'ls'],
  },
  {
    name: 'a hook at the start of a later session that only reads',
    project: project(HOOK('sh tools/hook.sh', 'session_start'), 'tools/hook.sh'),
    trusts,
    steps: [...edit('tools/hook.sh'), { reopen: 'read-only' }, 'ls'],
  },
  {
    name: 'a hook at the end of the session',
    project: project(HOOK('sh tools/hook.sh', 'session_end'), 'tools/hook.sh'),
    trusts,
    steps: edit('tools/hook.sh'),
  },
  {
    name: 'a hook runs a package script',
    project: `${project(HOOK('npm run -s lint'), 'tools/x.sh')}; echo '{"scripts":{"lint":"true"}}' > package.json`,
    trusts,
    steps: [`echo '{"scripts":{"lint":"touch {MARKS}/ran"}}' > package.json`, 'true'],
    needs: ['npm'],
  },
  {
    name: 'a hook runs a target of make',
    project: `${project(HOOK('make -s lint'), 'tools/x.sh')}; printf 'lint:\\n\\ttrue\\n' > Makefile`,
    trusts,
    steps: [`printf 'lint:\\n\\ttouch {MARKS}/ran\\n' > Makefile`, 'true'],
    needs: ['make'],
  },
  {
    name: 'a hook runs a program that the model puts into the folder',
    project: project(HOOK('./node_modules/.bin/fmt || true'), 'tools/x.sh'),
    trusts,
    steps: [
      `mkdir -p node_modules/.bin; printf '#!/bin/sh\\ntouch {MARKS}/ran\\n' > node_modules/.bin/fmt; chmod +x node_modules/.bin/fmt`,
      'true',
    ],
  },
  {
    name: 'a check of the project runs a script that the model edits',
    project: project(`[checks]\n"*.txt" = "sh tools/check.sh"`, 'tools/check.sh'),
    trusts,
    steps: [
      ...edit('tools/check.sh'),
      { call: 'write_file', input: { path: 'b.txt', content: 'b\n' } },
      { call: 'edit_file', input: { path: 'readme.txt', old: 'hello', new: 'hello hello' } },
    ],
    control: { run: 'cat b.txt', expects: /^b$/m },
  },
  {
    name: 'a check of the person runs a script that the model edits',
    config: '[checks]\n"*.txt" = "sh tools/check.sh"\n',
    project: 'mkdir tools; echo exit 0 > tools/check.sh',
    steps: [...edit('tools/check.sh'), { call: 'write_file', input: { path: 'b.txt', content: 'b\n' } }],
  },
  {
    name: 'a check of the person reads the home folder for the model',
    config: '[checks]\n"*.txt" = "sh tools/check.sh"\n',
    project: 'mkdir tools; echo exit 0 > tools/check.sh',
    steps: [
      { call: 'read_file', input: { path: 'tools/check.sh' } },
      {
        call: 'write_file',
        input: { path: 'tools/check.sh', content: 'rev {HOME}/.bash_history; exit 1\n', overwrite: true },
      },
      { call: 'write_file', input: { path: 'b.txt', content: 'b\n' } },
    ],
  },
  {
    name: 'a hook of the person names a script of the project',
    config: HOOK('sh {PROJECT}/tools/hook.sh'),
    project: 'mkdir tools; echo exit 0 > tools/hook.sh',
    steps: [...edit('tools/hook.sh'), 'true'],
    guarded: PINNED,
  },
  {
    name: 'a hook of the person names a script of the project by a relative path',
    config: HOOK('sh tools/hook.sh'),
    project: 'mkdir tools; echo exit 0 > tools/hook.sh',
    steps: [...edit('tools/hook.sh'), 'true'],
    guarded: PINNED,
  },
  {
    name: 'a hook of the person names a link to a script of the project',
    config: HOOK('sh {OUTSIDE}/hook.sh'),
    home: 'ln -s {PROJECT}/tools/hook.sh {OUTSIDE}/hook.sh',
    project: 'mkdir tools; echo exit 0 > tools/hook.sh',
    steps: [...edit('tools/hook.sh'), 'true'],
    guarded: PINNED,
  },
  {
    name: 'a hook of the person runs a script that reads another file of the project',
    config: HOOK('sh tools/hook.sh'),
    project: `mkdir tools; printf '. ./tools/lib.sh\\nexit 0\\n' > tools/hook.sh; echo true > tools/lib.sh`,
    steps: [...edit('tools/lib.sh'), 'true'],
    guarded: PINNED,
  },
  {
    name: 'a server of the project runs a file that the model edits',
    project: project(`[mcp.servers.x]\ncommand = "node"\nargs = ["tools/server.cjs"]`, 'tools/server.cjs'),
    trusts,
    steps: [
      `cat > tools/server.cjs <<'END'\n${SERVER}\nEND`,
      { reopen: 'auto' },
      UNTIL_RAN,
      { reopen: 'read-only' },
      'ls',
    ],
    needs: ['node'],
  },
  {
    name: 'a server of the project reads the home folder',
    project: project(`[mcp.servers.x]\ncommand = "sh"\nargs = ["tools/server.sh"]`, 'tools/server.sh'),
    trusts,
    steps: [
      `echo 'cp {HOME}/.bash_history {PROJECT}/copied' > tools/server.sh`,
      { reopen: 'auto' },
      'sleep 1',
    ],
  },
  {
    name: 'a server of the person runs a file of the project',
    config: `[mcp.servers.x]\ncommand = "node"\nargs = ["{PROJECT}/tools/server.cjs"]\n`,
    project: 'mkdir tools; echo "" > tools/server.cjs',
    steps: [`cat > tools/server.cjs <<'END'\n${SERVER}\nEND`, { reopen: 'auto' }, 'true'],
    needs: ['node'],
    guarded: PINNED,
  },
  {
    name: 'the trusted configuration itself is edited',
    project: project(HOOK('true'), 'tools/x.sh'),
    trusts,
    steps: [
      `cat >> ${CONFIG} <<'END'\n${HOOK(EVIL).replace('format', 'more')}\nEND`,
      `rm -rf .covey; mkdir .covey; cat > ${CONFIG} <<'END'\n${HOOK(EVIL)}\nEND`,
      { call: 'write_file', input: { path: CONFIG, content: HOOK(EVIL) } },
      { reopen: 'auto' },
      'true',
    ],
    guarded: 'a changed configuration is not trusted, whatever the mode',
  },
  {
    name: 'an untrusted configuration runs nothing',
    project: project(
      `${HOOK('touch {MARKS}/ran')}\n[mcp.servers.x]\ncommand = "touch"\nargs = ["{MARKS}/ran"]\n[checks]\n"*.txt" = "touch {MARKS}/ran"`,
      'tools/x.sh',
    ).replaceAll('git add -Af; ', ''),
    steps: [
      'true',
      { call: 'write_file', input: { path: 'b.txt', content: 'b\n' } },
      { reopen: 'auto' },
      'true',
    ],
    allows: /config\.toml$/,
    guarded: 'nothing of it is trusted, whatever the mode',
  },
]
