/**
 * Commands and paths a sentence names for the run to use. What it only tells of ("when I run x it fails") is neither.
 */

export type PathDemand = {
  readonly path: string
  /** The words before it say that it is to be made. */
  readonly isNew: boolean
}

/** Commands that are to be run: in back quotes, and those that follow "run" without any. */
export const commandsIn = (sentence: string): readonly string[] =>
  findCommands(sentence, { bare: BARE, counts: isWanted })

/** The same, and those a sentence only tells of: "npm test fails". */
export const namedCommands = (sentence: string): readonly string[] =>
  findCommands(sentence, { bare: BARE_NAMED, counts: () => true })

type Looking = { readonly bare: RegExp; counts(before: string): boolean }

function findCommands(sentence: string, { bare: form, counts }: Looking): readonly string[] {
  const quoted = [...sentence.matchAll(/`([^`\n]{2,200})`/g)]
    .filter(({ index }) => counts(sentence.slice(0, index)))
    .map(([, text = '']) => text.trim())
    .filter((text) => isCommand(text))
  const bare = [...sentence.matchAll(form)]
    .filter(({ index }) => counts(sentence.slice(0, index)))
    .map(([, text = '']) => text.replace(/[.,;:!?)\s]+$/, '').trim())
    .filter((text) => isCommand(text) && /\s/.test(text))
  return [...new Set([...quoted, ...bare])]
}

const PROGRAMS =
  'node|npm|npx|pnpm|yarn|bun|deno|tsx|tsc|ts-node|python|python3|py|pytest|pip|uv|poetry|tox|nox|ruff|mypy|go|cargo|rustc|make|cmake|ninja|ctest|sh|bash|zsh|ruby|rake|rspec|bundle|php|composer|phpunit|perl|java|javac|mvn|gradle|dotnet|swift|mix|elixir|julia|lua|Rscript|jest|vitest|mocha|ava|tap|eslint|oxlint|prettier|docker|terraform|just|task|gcc|g\\+\\+|clang|zig|nim|dart|flutter|sbt|lein|stack|cabal'

const LEADS =
  'run|execute|with|using|via|try|and|then|until|make sure|that|starte|führe|mit|lance|exécute|avec|ejecuta|corre|con'

/** Here prose goes on. */
const STOPS = 'and|then|to|until|again|so|afterwards|after|before|passes|works|prints|is|it|und|et|y'

const bareAfter = (leads: string, stops: string): RegExp =>
  new RegExp(`${leads}(\\.{0,2}/?(?:${PROGRAMS})(?:\\s+(?!(?:${stops})\\b)[^\\s,;\`"'()]+)+)`, 'gi')

/** Stops at a comma, a full stop before a space, or a word that joins sentences. */
const BARE = bareAfter(`\\b(?:${LEADS})\\s+`, STOPS)

const BARE_NAMED = bareAfter(
  `(?:^|\\b(?:${LEADS}|running|why|because|when|but|does|the)\\s+)`,
  `${STOPS}|fails?|failed|failing|crash\\w*|throws?|exits?|gives?|shows?|says|reports?|complains|errors?|breaks|hangs|with|in|on|because|due|doesn't|does|won't|returns?|ends|keeps|still|now|for|tests? (?:fail|are)`,
)

export const isCommand = (text: string): boolean =>
  new RegExp(`^(?:\\w+=\\S+ )*(?:\\./|\\.\\./)?(?:${PROGRAMS})(?:\\s+\\S|$)`).test(text) ||
  /^\.{1,2}\/[\w./-]+(?:\s|$)/.test(text)

/** The words between the last break and the command: a mentioned, forbidden or conditional command is not requested. */
function isWanted(before: string): boolean {
  const clause =
    before.split(/[.;:!?]\s|,\s(?!and\b)|\bbut\b|\bthen\b|\baber\b|\bmais\b|\bpero\b/i).at(-1) ?? ''
  return !NOT_ASKED.test(clause)
}

const NOT_ASKED =
  /\b(?:don't|do not|dont|never|not|without|nicht|kein\w*|ne|no|sin|when|whenever|if|unless|i|we|they|it|he|she|users?|ci|because|since|after|once|before|would|wenn|falls|quand|cuando|used to|output of|result of|error from|says|said|printed|instead of|like|such as|e\.g)\b[^`]*$/i

/** "Run the tests", "check that it works": any command. */
export const namesRun = (sentence: string): boolean => RUN.test(sentence) && !RUN_NOT.test(sentence)

const RUN =
  /(?<!\b(?:i|we|they|it|can|to|you|the|a|dry|test|long) )\b(?:re-?run|run|execute)\b (?:it\b|them\b|the\b|all\b|our\b|my\b|its\b|both\b|tests?\b|again\b|`|npm|node|make|pytest|cargo|go )|(?<!\p{L})(?:führe .{1,60} aus|lass .{1,30} laufen|exécute|lance|ejecuta|corre|запусти|прогони)(?!\p{L})|运行|执行/iu
const RUN_NOT =
  /\b(?:don't|do not|dont|never|without|no need to|when i|when you|if you|nicht|ne .{1,20} pas)\b/i

const PATH =
  /(?<![\w@:/.-])(?:\.{1,2}\/)?(?:[\w@.-]+\/)*[\w@-][\w@.-]*\.[A-Za-z][A-Za-z0-9]{0,9}(?![\w/(-])|(?<![\w@:/.-])(?:[\w@.-]+\/)+[\w@-]+(?=[\s`"',;)]|$)/g

/** Files and folders that look like ones; whether they exist is for others to find out. */
export function pathsIn(text: string): readonly PathDemand[] {
  const found = [...text.matchAll(PATH)].flatMap((match): PathDemand[] => {
    const [raw] = match
    // `@notes.md` puts the file into the prompt: it is read already.
    if (raw.startsWith('@')) return []
    const path = raw.replace(/^\.\//, '').replace(/\.+$/, '')
    const before = text.slice(Math.max(0, match.index - 80), match.index)
    if (isNoFile(path, before)) return []
    return [{ path, isNew: NEW.test(before.replace(/[`"'([]+$/, '')) }]
  })
  const byPath = new Map(found.map((demand) => [demand.path, demand]))
  return [...byPath.values()].slice(0, MOST_PATHS)
}

const MOST_PATHS = 24

function isNoFile(path: string, before: string): boolean {
  const isUrl =
    /(?:\w+:\/\/|www\.)[^\s]*$/.test(before) || /^(?:www\.|\w+\.(?:com|org|net|io|dev|ai)\b)/i.test(path)
  const isNumber = /^v?\d+(?:\.\d+)*(?:\.[a-z])?$/i.test(path)
  const isWord =
    /^(?:e\.g|i\.e|etc|vs|node\.js|next\.js|vue\.js|react\.js|express\.js|and\/or|he\/she|yes\/no|true\/false|on\/off|read\/write|input\/output|client\/server)$/i.test(
      path,
    )
  const isMember = /^[\w$]+\.[a-z]\w*$/.test(path) && !KNOWN_ENDING.test(path)
  const isLeftAlone =
    /\b(?:not|never|don't|except(?: for)?|but|besides|without|leave|ignore|like|similar to|as in|than|outside(?: of)?|nicht|außer|sauf|excepto|salvo)\s+(?:\w+\s+){0,2}[`"'(]*$/i.test(
      before,
    )
  return isUrl || isNumber || isWord || isMember || isLeftAlone
}

/** `user.name` is code; these endings are files. */
const KNOWN_ENDING =
  /\.(?:[cm]?[jt]sx?|json|jsonl|ya?ml|toml|ini|cfg|conf|env|md|mdx|txt|rst|csv|tsv|xml|html?|css|scss|less|py|pyi|ipynb|rb|go|rs|java|kt|kts|scala|c|h|cc|cpp|hpp|cs|swift|php|pl|lua|sh|bash|zsh|fish|ps1|bat|sql|lock|gradle|tf|proto|graphql|vue|svelte|astro|r|jl|ex|exs|erl|clj|hs|ml|dart|zig|nim|log|properties|service|dockerfile|mk|cmake|svg)$/i

const NEW =
  /\b(?:create|new|write|add|called|named|to|into|as|save|generate|make|erstelle|neue\w*|schreibe?|crée|nouveau|crea|nuevo|escribe|создай)\s+(?:(?:a|an|the|file|new|module|called|named|test|script|datei|namens)\s+){0,4}[`"'(]*$/i
