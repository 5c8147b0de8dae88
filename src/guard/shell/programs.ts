/**
 * What a program does with these arguments, as far as it is known. Known to read: with the options listed here. Known to
 * write or to run the project's own code: the permission mode decides. Everything else is unknown. A wrong entry can only
 * be wrong about whether to ask; what a command can do is decided by the sandbox.
 */
import { judgeAwkProgram } from './awk.ts'
import { judgeFind } from './find.ts'
import { judgeGit } from './git.ts'
import { readers, tellsVersion, writers } from './names.ts'
import { type OptionSpec, scanOptions } from './options.ts'
import { judgeSedScript } from './sed.ts'
import type { Word } from './word.ts'

export type Kind = 'read-only' | 'write' | 'unknown'

export type Finding = { readonly kind: Kind; readonly why: string }

/** `name` without its folder; the words are all literal. */
export function judgeProgram(name: string, args: readonly Word[]): Finding {
  const [first] = args
  if (first && args.length === 1 && tellsVersion(name, first.text)) return READS
  const judge = programs.get(name)
  if (judge) return judge(args, name)
  if (readers.has(name)) return READS
  return writers.has(name) ? changes(name) : doubt(`${name} is not known to only read`)
}

/** The options of this program are listed here, so that one which is not is suspect. */
export const hasOptionList = (name: string): boolean => programs.has(name)

const READS: Finding = { kind: 'read-only', why: 'it only reads' }
const changes = (name: string): Finding => ({ kind: 'write', why: `${name} may change something` })
const doubt = (why: string): Finding => ({ kind: 'unknown', why })

type Judge = (args: readonly Word[], name: string) => Finding

/** What matches `writes` is an option that writes. */
const withOptions =
  (spec: OptionSpec, writes?: RegExp): Judge =>
  (args, name) => {
    if (writes && args.some(({ text }) => writes.test(text)) && !isEnded(args, writes)) return changes(name)
    const scan = scanOptions(args, spec)
    return scan.ok ? READS : doubt(`${name} ${scan.option} is not known to only read`)
  }

/** Behind `--` nothing is an option. */
const isEnded = (args: readonly Word[], option: RegExp): boolean => {
  const end = args.findIndex(({ text }) => text === '--')
  return end >= 0 && !args.slice(0, end).some(({ text }) => option.test(text))
}

const SED: OptionSpec = {
  flags: 'nErsuz',
  values: 'e',
  long: 'quiet silent regexp-extended separate unbuffered null-data posix expression=',
}

const sed: Judge = (args) => {
  if (args.some(({ text }) => /^-[a-zA-Z]*[iI]|^--in-place/.test(text))) return changes('sed -i')
  const scan = scanOptions(args, SED)
  if (!scan.ok) return doubt(`sed ${scan.option} is not known to only read`)
  const given = scan.options.some((option) => option === '-e' || option === '--expression')
  const scripts = given ? expressions(args) : scan.operands.slice(0, 1)
  if (isWild(scripts, args)) return doubt('a file name would be the sed script')
  const kinds = scripts.map(judgeSedScript)
  if (kinds.includes('write')) return changes('this sed script')
  return kinds.length === 0 || kinds.includes('unknown')
    ? doubt('this sed script may do more than print')
    : READS
}

/** A program that a wildcard becomes is one that a file name holds, line breaks and all. */
const isWild = (programs: readonly string[], args: readonly Word[]): boolean =>
  args.some(({ glob, text }) => glob && programs.some((program) => text.endsWith(program)))

/** The scripts of `-e`, in every way to write it. */
const expressions = (args: readonly Word[]): readonly string[] =>
  args.flatMap(({ text }, index) => {
    const glued = /^--expression=(.*)$/s.exec(text) ?? /^-[nErsuz]*e(.+)$/s.exec(text)
    if (glued) return [glued[1] ?? '']
    return /^(?:--expression|-[nErsuz]*e)$/.test(text) ? [args[index + 1]?.text ?? 'e'] : []
  })

const awk: Judge = (args) => {
  const scan = scanOptions(args, { values: 'Fv' })
  if (!scan.ok) return doubt(`awk ${scan.option} is not known to only read`)
  const [program = '|'] = scan.operands
  if (isWild([program], args)) return doubt('a file name would be the awk program')
  const kind = judgeAwkProgram(program)
  return kind === 'read-only' ? READS : { kind, why: 'this awk program may do more than print' }
}

const find: Judge = (args) => {
  const { kind } = judgeFind(args)
  if (kind === 'read-only') return READS
  return kind === 'write' ? changes('this find') : doubt('find may run or change what it finds')
}

const tee: Judge = (args) =>
  args.some(({ text }) => !text.startsWith('-') || text === '--')
    ? changes('tee')
    : doubt('tee without a file')

const JQ: OptionSpec = {
  flags: 'rcnsSMCajeR',
  long: `raw-output compact-output null-input slurp sort-keys monochrome-output color-output ascii-output join-output
    exit-status raw-input tab indent= stream seq`,
}

const jq: Judge = (args) => {
  const scan = scanOptions(args, JQ)
  if (!scan.ok) return doubt(`jq ${scan.option} is not known to only read`)
  if (isWild(scan.operands.slice(0, 1), args)) return doubt('a file name would be the jq filter')
  const loads = /\benv\b|\$ENV|\$__|\b(?:import|include|modulemeta|get_search_list)\b/.test(
    scan.operands[0] ?? '',
  )
  return loads ? doubt('this jq filter reads the environment or loads code') : READS
}

/** A bare cluster with an `e` shows the environment of every process. */
const ps: Judge = (args) =>
  args.some(
    ({ text, glob }) => glob || /^[A-Za-z]*[eE][A-Za-z]*$/.test(text) || /^-[A-Za-z]*E|environ/.test(text),
  )
    ? doubt('ps may show the environment of processes')
    : READS

const FILE_TEST = /^(?:! )?-[fdesrwxLhnz] [^[]*$/
const TEXT_TEST = /^[^[ -][^[ ]* (?:=|==|!=) [^[ ]*$/

/** Numbers are calculated, and calculating may run what a subscript holds. */
const test: Judge = (args) => {
  const text = args.map((word) => word.text).join(' ')
  const isFixed = args.length <= 3 && !args.some(({ glob }) => glob)
  return isFixed && (FILE_TEST.test(text) || TEXT_TEST.test(text)) ? READS : doubt('this test may calculate')
}

const printf: Judge = (args) =>
  args[0] && !args[0].loose && !/^-(?!-$)/.test(args[0].text)
    ? READS
    : doubt('printf with options may set a variable')

const command: Judge = (args) =>
  /^-[vV]$/.test(args[0]?.text ?? '') ? READS : doubt('command runs what it is given')

/** Alone it prints the environment, which holds no secrets for a command; with arguments it runs something. */
const env: Judge = (args) => (args.length === 0 ? READS : doubt('env runs what it is given'))

/** Without a terminal it only prints; `+` begins a command of its own. */
const pager: Judge = (args, name) =>
  args.every(({ text, loose }) => !loose && !/^[-+]/.test(text)) ? READS : doubt(`${name} may run a program`)

const man: Judge = (args) =>
  args.length > 0 && args.every(({ text }) => /^\w[\w.+:-]*$/.test(text))
    ? READS
    : doubt('man may run a program')

/** An operand that is no format sets the clock; `-f` reads a file. */
const date: Judge = (args) => {
  const scan = scanOptions(args, {
    flags: 'uRI',
    values: 'd',
    long: 'utc universal iso-8601 rfc-3339= rfc-email date=',
  })
  const isFormat = scan.ok && scan.operands.every((operand) => operand.startsWith('+'))
  return isFormat ? READS : doubt('date may set the clock or read a file')
}

/** Those that read object files: `@file` names more options, and one of them loads a library. */
const objects =
  (spec: OptionSpec): Judge =>
  (args, name) =>
    args.some(({ text }) => text.startsWith('@'))
      ? doubt(`${name} takes options from a file`)
      : withOptions(spec)(args, name)

/** Alone it prints; on a Mac it runs what it is given. */
const arch: Judge = (args) => (args.length === 0 ? READS : doubt('arch may run what it is given'))

/** `npm ls` and the like only look. */
const looking =
  (actions: RegExp, spec: OptionSpec): Judge =>
  (args, name) => {
    const [action, ...rest] = args
    return actions.test(action?.text ?? '') && scanOptions(rest, spec).ok ? READS : changes(name)
  }

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

const SORT: OptionSpec = {
  flags: 'bdfgiMhnRrVcCmsuz',
  values: 'kt',
  long: `ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort
    human-numeric-sort numeric-sort random-sort reverse version-sort check merge stable unique zero-terminated key=
    field-separator= sort= debug`,
}

const UNIQ: OptionSpec = {
  flags: 'cdDuiz',
  values: 'fsw',
  long: `count repeated all-repeated unique ignore-case skip-fields= skip-chars= check-chars= group zero-terminated`,
  operands: 1,
}

const DIFF: OptionSpec = {
  flags: 'qsurNbBwEZtaiypcez',
  values: 'UCxIW',
  long: `brief recursive unified context side-by-side ignore-case ignore-all-space ignore-space-change ignore-blank-lines
    report-identical-files new-file text minimal color exclude= strip-trailing-cr suppress-common-lines width= label= normal
    no-dereference`,
}

const TREE: OptionSpec = {
  flags: 'adfilshpugDtrvCnxqNQFJXS',
  values: 'LPI',
  long: `dirsfirst filesfirst noreport prune gitignore du si inodes device matchdirs ignore-case charset= filelimit= sort=
    timefmt= version help`,
}

const FD: OptionSpec = {
  flags: 'HIusigapL0F',
  values: 'dtecES',
  long: `hidden no-ignore glob regex absolute-path full-path follow max-depth= min-depth= exact-depth= type= extension=
    exclude= color= size= changed-within= changed-before= max-results= print0 case-sensitive ignore-case`,
}

/** `-o` writes a file on a Mac. */
const BASE64: OptionSpec = { flags: 'dDi', values: 'wb', long: 'decode ignore-garbage wrap=' }

const READELF = `all file-header program-headers segments section-headers sections section-groups section-details headers
  syms symbols dyn-syms notes relocs unwind dynamic version-info arch-specific histogram wide archive-index hex-dump=
  string-dump= use-dynamic help version`

const PIP = looking(/^(?:list|show|freeze|check)$/, {
  flags: 'vlf',
  long: 'format= outdated user local files verbose',
})

const programs = new Map<string, Judge>([
  ...['awk', 'gawk', 'mawk', 'nawk'].map((name) => [name, awk] as const),
  ...['[', 'test'].map((name) => [name, test] as const),
  ...['sed', 'gsed'].map((name) => [name, sed] as const),
  ...['pip', 'pip3'].map((name) => [name, PIP] as const),
  ...['less', 'more'].map((name) => [name, pager] as const),
  ...['rg', 'ripgrep'].map((name) => [name, withOptions(RG)] as const),
  ['env', env],
  ['find', find],
  ['git', judgeGit],
  ['tee', tee],
  ['jq', jq],
  ['ps', ps],
  ['printf', printf],
  ['command', command],
  ['man', man],
  ['date', date],
  ['fd', withOptions(FD)],
  ['diff', withOptions(DIFF)],
  ['uniq', withOptions(UNIQ)],
  ['sort', withOptions(SORT, /^-[bdfgiMhnRrVcCmsuz]*o|^--ou/)],
  ['shuf', withOptions({ flags: 'eirz', values: 'n', long: 'echo repeat head-count=' }, /^-[a-z]*o|^--ou/)],
  ['tree', withOptions(TREE, /^-[a-zA-Z]*o/)],
  ['hostname', withOptions({ flags: 'fisIdAy', long: 'fqdn short ip-address domain', operands: 0 })],
  ['file', withOptions({ flags: 'bikLhNnprsv0', values: 'F', long: 'brief mime mime-type mime-encoding' })],
  ['xxd', withOptions({ flags: 'abeEiupCd', values: 'cgls', operands: 1 })],
  ['arch', arch],
  ...['base64', 'base32'].map((name) => [name, withOptions(BASE64)] as const),
  [
    'strings',
    objects({ flags: 'adfowh', values: 'nte', long: 'all bytes= radix= encoding= print-file-name' }),
  ],
  ['size', objects({ flags: 'ABdoxth', long: 'format= radix= common totals' })],
  ['readelf', objects({ flags: 'aehlSgtsnrudVAIWcDHv', values: 'xp', long: READELF })],
  ['nm', objects({ flags: 'aABCDeglnPpSsuvz', long: 'demangle dynamic extern-only undefined-only' })],
  ['objdump', objects({ flags: 'adDfghHiprstTxSC', values: 'jM', long: 'syms headers disassemble' })],
  ['lsof', withOptions({ flags: 'abhlnNoOPRtUvVX', values: 'cdgipu' })],
  ['ss', withOptions({ flags: 'hnraloemipsbtuwx46', long: 'numeric listening all processes tcp udp unix' })],
  ['netstat', withOptions({ flags: 'ahlnoprstuveiW46' })],
  [
    'npm',
    looking(/^(?:ls|list|root|prefix|why|explain)$/, { flags: 'gla', long: 'depth= all json long global' }),
  ],
  ['go', looking(/^(?:version|list|doc)$/, { flags: 'm' })],
])
