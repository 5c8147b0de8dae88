/**
 * What is known about programs, as data. Known to read: with the options listed here. Known to write or to run the
 * project's own code: the permission mode decides. Everything else is unknown. A wrong entry can only be wrong about
 * whether to ask; what a command can do is decided by the sandbox.
 */
import { judgeAwkProgram } from './shell-awk.ts'
import { judgeFind } from './shell-find.ts'
import { judgeGit } from './shell-git.ts'
import { type OptionSpec, scanOptions } from './shell-options.ts'
import { judgeSedScript } from './shell-sed.ts'
import type { Word } from './shell-word.ts'

export type Kind = 'read-only' | 'write' | 'unknown'

export type Finding = { readonly kind: Kind; readonly why: string }

/** `name` without its folder; the words are all literal. */
export function judgeProgram(name: string, args: readonly Word[]): Finding {
  if (args.length === 1 && VERSION.test(args[0]?.text ?? '') && TELL_VERSION.has(name)) return READS
  const judge = programs.get(name)
  if (judge) return judge(args, name)
  return WRITERS.has(name) ? changes(name) : doubt(`${name} is not known to only read`)
}

const READS: Finding = { kind: 'read-only', why: 'it only reads' }
const changes = (name: string): Finding => ({ kind: 'write', why: `${name} changes something` })
const doubt = (why: string): Finding => ({ kind: 'unknown', why })

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Programs that run what they are given, in this process's stead or beside it. Nothing is known behind them. */
const WRAPPERS = new Set(
  words(`env xargs sudo doas su runuser nohup timeout nice ionice setsid stdbuf chrt taskset time watch strace ltrace gdb
  script parallel flock unshare nsenter chroot busybox toybox ssh setpriv prlimit systemd-run systemd-inhibit caffeinate
  proot fakeroot faketime expect unbuffer dbus-run-session xvfb-run firejail bwrap sandbox-exec start-stop-daemon run-parts
  logsave rlwrap catchsegv valgrind perf numactl cpulimit dotenv direnv nix-shell nix devenv mise asdf rtx op doppler
  command builtin exec eval source . trap coproc enable mapfile readarray compgen complete bind alias hash
  bash sh zsh dash ksh fish csh tcsh ash mksh pwsh entr ifne chronic sem at batch crontab make gmake ninja
  docker podman kubectl oc lxc vagrant ansible npx bunx pnpx uvx pipx tsx ts-node`),
)

export const isWrapper = (name: string): boolean => WRAPPERS.has(name)

/** Programs whose first plain argument is code or a file of code. */
const INTERPRETERS =
  /^(?:python|pypy|perl|ruby|node|nodejs|deno|bun|php|lua|luajit|tclsh|wish|Rscript|r|java|scala|groovy|guile|racket|gawk|mawk|nawk|awk|osascript|sqlite3|psql|mysql|vim?|nvim|ex|ed|emacs)[\d.]*$/i

export const isInterpreter = (name: string): boolean => INTERPRETERS.test(name)

const VERSION = /^(?:--version|-v|-V|-version|version)$/
const TELL_VERSION = new Set(
  words(`node npm npx pnpm yarn bun deno python python2 python3 pip pip3 poetry uv ruby gem bundle perl php composer go
  cargo rustc rustup java javac mvn gradle kotlin scala gcc g++ cc clang clang++ ld make cmake ninja meson docker podman
  kubectl helm terraform tsc eslint prettier vitest jest mocha pytest mypy ruff black psql mysql sqlite3 redis-cli curl wget
  rg grep sed awk gawk find tar zip unzip jq yq bash zsh sh vim code gh aws az ssh openssl ffmpeg dotnet swift zig elixir
  ghc stack ocaml julia R lua tree less`),
)

const WRITERS = new Set(
  words(`rm rmdir mv cp touch mkdir chmod chown chgrp ln link install dd truncate shred mkfifo mknod unlink mktemp patch
  split csplit sponge rename rsync scp sftp tar zip unzip gzip gunzip bzip2 bunzip2 xz unxz zstd 7z cpio ar kill pkill
  killall mount umount systemctl service useradd userdel usermod passwd apt apt-get dpkg yum dnf apk pacman brew snap
  npm pnpm yarn bun pip pip3 poetry uv pdm pipenv conda gem bundle composer cargo go mvn gradle sbt dotnet swift mix
  pytest tox nox jest vitest mocha ava tsc eslint prettier biome oxlint ruff black isort mypy flake8 pylint rustfmt gofmt
  clang-format webpack vite rollup esbuild rspec rake phpunit ctest cmake meson gcc g++ cc clang clang++ javac rustc
  cargo-nextest playwright cypress next astro nuxt ng turbo nx lerna alembic django-admin rails hg svn gh`),
)

type Judge = (args: readonly Word[], name: string) => Finding

const harmless: Judge = () => READS

const withOptions =
  (spec: OptionSpec): Judge =>
  (args, name) => {
    const scan = scanOptions(args, spec)
    return scan.ok ? READS : doubt(`${name} ${scan.option} is not known to only read`)
  }

/** Another operand than those in `operands` is a file it writes. */
const reading =
  (spec: OptionSpec, writes: RegExp): Judge =>
  (args, name) => {
    const isWrite = args.some(({ text }) => writes.test(text))
    return isWrite ? changes(name) : withOptions(spec)(args, name)
  }

const sed: Judge = (args) => {
  if (args.some(({ text }) => /^-[a-zA-Z]*[iI]|^--in-place/.test(text))) return changes('sed -i')
  const scan = scanOptions(args, {
    flags: 'nErsuz',
    long: 'quiet silent regexp-extended separate unbuffered null-data posix',
  })
  if (!scan.ok) return sedScripts(args)
  const [script] = scan.operands
  return script === undefined ? doubt('sed without a script') : sedFinding([script])
}

/** `-e script`, and nothing else that is unclear. */
function sedScripts(args: readonly Word[]): Finding {
  const scripts: string[] = []
  for (let index = 0; index < args.length; index++) {
    const text = args[index]?.text ?? ''
    if (text === '-e' || text === '--expression') scripts.push(args[++index]?.text ?? 'e')
    else if (/^-[nErsuz]+e$/.test(text)) scripts.push(args[++index]?.text ?? 'e')
    else if (/^-/.test(text) && !/^-[nErsuz]+$/.test(text))
      return doubt(`sed ${text} is not known to only read`)
  }
  return scripts.length > 0 ? sedFinding(scripts) : doubt('sed without a script')
}

function sedFinding(scripts: readonly string[]): Finding {
  const kinds = scripts.map(judgeSedScript)
  if (kinds.includes('write')) return changes('this sed script')
  return kinds.includes('unknown') ? doubt('this sed script may do more than print') : READS
}

const awk: Judge = (args) => {
  const scan = scanOptions(args, { values: 'Fv' })
  if (!scan.ok) return doubt(`awk ${scan.option} is not known to only read`)
  const kind = judgeAwkProgram(scan.operands[0] ?? '|')
  return kind === 'read-only' ? READS : { kind, why: 'this awk program may do more than print' }
}

const find: Judge = (args) => {
  const { kind } = judgeFind(args)
  if (kind === 'read-only') return READS
  return kind === 'write' ? changes('this find') : doubt('find may run or change what it finds')
}

const git: Judge = (args) => judgeGit(args)

const tee: Judge = (args) =>
  args.some(({ text }) => !text.startsWith('-')) ? changes('tee') : doubt('tee without a file')

/** Options that take code, files of code or the environment are left out. */
const jq: Judge = (args, name) => {
  const scan = scanOptions(args, {
    flags: 'rcnsSMCajeR',
    long: 'raw-output compact-output null-input slurp sort-keys monochrome-output color-output ascii-output join-output exit-status raw-input tab indent= stream seq',
  })
  if (!scan.ok) return doubt(`${name} ${scan.option} is not known to only read`)
  const filter = scan.operands[0] ?? ''
  return /\benv\b|\$ENV|\b(?:import|include|input_filename|modulemeta|get_search_list|ltrimstr_env)\b|\$__prog/.test(
    filter,
  )
    ? doubt('this jq filter reads the environment or loads code')
    : READS
}

/** A bare cluster with an `e` shows the environment of every process. */
const ps: Judge = (args) =>
  args.some(({ text }) => /^[A-Za-z]*[eE][A-Za-z]*$/.test(text) || /^-[A-Za-z]*E|environ/.test(text))
    ? doubt('ps may show the environment of processes')
    : READS

const TEST = /^(?:!\s)?-[fdesrwxLhnz] [^[]*$|^[^[-][^[]* (?:=|==|!=) [^[]*$/

const test: Judge = (args) =>
  TEST.test(args.map(({ text }) => text).join(' ')) && args.length <= 4
    ? READS
    : doubt('this test may calculate')

const printf: Judge = (args) =>
  args[0] && !/^-(?!-$)/.test(args[0].text) ? READS : doubt('printf with options may set a variable')

const command: Judge = (args) =>
  /^-[vV]$/.test(args[0]?.text ?? '') ? READS : doubt('command runs what it is given')

const man: Judge = (args) =>
  args.every(({ text }) => /^[\w.+:-]+$/.test(text) && !text.startsWith('-'))
    ? READS
    : doubt('man may run a program')

/** `npm ls` and the like: the package manager only looks. */
const looking =
  (actions: RegExp, spec: OptionSpec): Judge =>
  (args, name) => {
    const [action, ...rest] = args
    return actions.test(action?.text ?? '') && scanOptions(rest, spec).ok ? READS : changes(name)
  }

const HARMLESS =
  words(`ls dir vdir cat head tail wc nl tac rev cut paste tr fold fmt expand unexpand comm join cmp md5sum
  sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum stat du df pwd basename dirname realpath readlink whoami id
  groups logname uname uptime free nproc arch tty users who which whereis type true false : echo seq expr factor numfmt
  od hexdump strings nm size readelf lscpu lsblk lsusb lspci lsmod getconf cal ncal look tsort pathchk printenv_none
  grep egrep fgrep zgrep zcat bzcat xzcat cd pushd popd sleep exit return break continue shift wait_none column
  pgrep pidof colrm apropos whatis locale getent lsb_release sw_vers vm_stat tput dircolors base64 base32 shasum md5`)

const RG: OptionSpec = {
  flags: 'inlcvwxsSFoLNHIqhV0aUpPu',
  values: 'efgtTABCmrjMEd',
  long: `ignore-case line-number no-line-number files files-with-matches files-without-match count count-matches invert-match
    word-regexp line-regexp case-sensitive smart-case fixed-strings only-matching follow no-filename with-filename quiet help
    version null text multiline multiline-dotall pcre2 pretty unrestricted hidden no-hidden no-ignore no-ignore-vcs
    no-ignore-parent no-messages no-config no-heading heading color= colors= column no-column json stats trim vimgrep sort=
    sortr= regexp= file= glob= iglob= type= type-not= type-list type-add= after-context= before-context= context= max-count=
    max-columns= max-columns-preview max-depth= max-filesize= replace= threads= encoding= engine= crlf passthru debug
    no-require-git glob-case-insensitive one-file-system byte-offset no-unicode field-match-separator= context-separator=`,
}

const programs = new Map<string, Judge>([
  ...HARMLESS.map((name) => [name, harmless] as const),
  ...['awk', 'gawk', 'mawk', 'nawk'].map((name) => [name, awk] as const),
  ...['[', 'test'].map((name) => [name, test] as const),
  ['sed', sed],
  ['gsed', sed],
  ['find', find],
  ['git', git],
  ['tee', tee],
  ['jq', jq],
  ['ps', ps],
  ['printf', printf],
  ['command', command],
  ['man', man],
  ['rg', withOptions(RG)],
  [
    'sort',
    reading(
      {
        flags: 'bdfgiMhnRrVcCmsuz',
        values: 'kt',
        long: 'ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse version-sort check merge stable unique zero-terminated key= field-separator= sort= debug',
      },
      /^-[a-zA-Z]*o|^--ou/,
    ),
  ],
  [
    'uniq',
    withOptions({
      flags: 'cdDuiz',
      values: 'fsw',
      long: 'count repeated all-repeated unique ignore-case skip-fields= skip-chars= check-chars= group zero-terminated',
      operands: 1,
    }),
  ],
  [
    'shuf',
    reading(
      { flags: 'eirz', values: 'n', long: 'echo repeat zero-terminated head-count=' },
      /^-[a-z]*o|^--ou/,
    ),
  ],
  [
    'tree',
    reading(
      {
        flags: 'adfilshpugDtrvCnxqNQFJXS',
        values: 'LPIT',
        long: 'dirsfirst filesfirst noreport prune gitignore du si inodes device matchdirs ignore-case charset= filelimit= sort= timefmt= version help',
      },
      /^-[a-zA-Z]*o/,
    ),
  ],
  [
    'date',
    (args, name) =>
      args.every(
        ({ text }) =>
          text.startsWith('+') ||
          scanOptions([{ text, dynamic: false, plain: true, loose: false }], {
            flags: 'uRI',
            long: 'utc universal iso-8601 rfc-3339 rfc-email date',
          }).ok,
      ) && args.every(({ text }) => /^[-+]/.test(text))
        ? READS
        : doubt(`${name} may set the clock or read a file`),
  ],
  [
    'hostname',
    withOptions({ flags: 'fisIdAy', long: 'fqdn short ip-address all-ip-addresses domain', operands: 0 }),
  ],
  [
    'diff',
    withOptions({
      flags: 'qsurNbBwEZtaiypcez',
      values: 'UCxIW',
      long: 'brief recursive unified context side-by-side ignore-case ignore-all-space ignore-space-change ignore-blank-lines report-identical-files new-file text minimal color exclude= strip-trailing-cr suppress-common-lines width= label= normal no-dereference',
    }),
  ],
  [
    'file',
    withOptions({
      flags: 'bikLhNnprsv0',
      values: 'F',
      long: 'brief mime mime-type mime-encoding dereference no-dereference',
    }),
  ],
  ['xxd', withOptions({ flags: 'abeEiupCd', values: 'cgls', operands: 1 })],
  [
    'objdump',
    withOptions({
      flags: 'adDfghHiprstTxSC',
      values: 'jM',
      long: 'syms headers section-headers disassemble private-headers file-headers',
    }),
  ],
  ['lsof', withOptions({ flags: 'abhlnNoOPRtUvVX', values: 'cdgipu' })],
  ['ss', withOptions({ flags: 'hnraloemipsbtuwx46', long: 'numeric listening all processes tcp udp unix' })],
  ['netstat', withOptions({ flags: 'ahlnoprstuveiW46' })],
  [
    'fd',
    withOptions({
      flags: 'HIusigapL0lF',
      values: 'dtecEoSj',
      long: 'hidden no-ignore glob regex absolute-path full-path follow max-depth= min-depth= exact-depth= type= extension= exclude= color= size= changed-within= changed-before= max-results= print0 case-sensitive ignore-case',
    }),
  ],
  [
    'npm',
    looking(/^(?:ls|list|root|prefix|bin|why|explain|outdated|view|info|help)$/, {
      flags: 'gla',
      long: 'depth= all json long parseable global',
    }),
  ],
  [
    'pnpm',
    looking(/^(?:ls|list|root|why)$/, { flags: 'gr', long: 'depth= json long parseable global recursive' }),
  ],
  ['yarn', looking(/^(?:list|why)$/, { long: 'depth= json pattern=' })],
  [
    'pip',
    looking(/^(?:list|show|freeze|check)$/, {
      flags: 'vlf',
      long: 'format= outdated user local files verbose',
    }),
  ],
  [
    'pip3',
    looking(/^(?:list|show|freeze|check)$/, {
      flags: 'vlf',
      long: 'format= outdated user local files verbose',
    }),
  ],
  [
    'cargo',
    looking(/^(?:tree|metadata|search|locate-project|pkgid)$/, {
      flags: 'iep',
      long: 'depth= offline locked no-deps format-version= duplicates',
    }),
  ],
  ['go', looking(/^(?:version|list|doc)$/, { flags: 'm', long: 'all' })],
])
