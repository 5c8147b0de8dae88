/**
 * Words that nano's sources go by: which say nothing, which name a file type, what runs a file. Must equal the tables of
 * nano/sources.py; a test holds them to that.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Too common to name a path. */
export const stopWords = words(`
  a after again all also an and any anything are as at be before by can could did do does done everything
  file files folder for from get give go has have here how i if in inside into is it its just let like
  look make me mine my need new not now of off on one open or our out over page please pls read run see
  show so some something take tell than that the their them then there these they thing this those to too
  u under up us use want was we what whats when where which who why will with word would you your
`)

const NUMBER_WORDS = [
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
  '- first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth',
  '- january february march april may june july august september october november december',
  '- jan feb mar apr - jun jul aug sep oct nov dec',
  '- 1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th 11th 12th 13th 14th 15th 16th 17th 18th 19th 20th 21st 22nd 23rd 24th 25th 26th 27th 28th 29th 30th 31st',
]
const TENS = 'thirty forty fifty sixty seventy eighty ninety hundred'

/** What a number in the name of a file may be called. */
export const numberWords: ReadonlyMap<string, number> = new Map([
  ...NUMBER_WORDS.flatMap((line) => line.split(' ').map((word, at) => [word, at] as const)).filter(
    ([word]) => word !== '-',
  ),
  ...TENS.split(' ').map((word, at) => [word, 10 * (at + 3)] as const),
  ...Array.from({ length: 99 }, (_, at) => [String(at + 1), at + 1] as const),
])

/** The file type a word names: `word:type`, or the word alone where both are the same. */
const TYPES = words(`
  markdown:md md python:py py typescript:ts ts tsx javascript:js js jsx mjs rust:rs rs golang:go go java
  kotlin:kt kt swift ruby:rb rb php html htm css scss sass less json yaml yml toml xml csv csvs:csv tsv
  sql shell:sh bash:sh sh text:txt txt log logs:log notebook:ipynb notebooks:ipynb jupyter:ipynb ipynb svg
  svgs:svg png pngs:png jpg jpeg gif pdf pdfs:pdf vue svelte proto graphql terraform:tf tf ini env lock
  wasm zip excel:xlsx xlsx parquet dart scala lua julia:jl perl:pl elixir:ex haskell:hs zig c h header:h
  headers:h cpp c++:cpp hpp cs c#:cs rst tex latex:tex conf cfg bat ps1 powershell:ps1
`)

export const typeWords: ReadonlyMap<string, string> = new Map(
  Array.from(TYPES, (entry) => {
    const [word = '', type = word] = entry.split(':')
    return [word, type]
  }),
)

/** What runs a file with this ending. */
export const runners: ReadonlyMap<string, string> = new Map([
  ['py', 'python3'],
  ['js', 'node'],
  ['mjs', 'node'],
  ['cjs', 'node'],
  ['sh', 'bash'],
  ['rb', 'ruby'],
  ['pl', 'perl'],
  ['lua', 'lua'],
])

export const gitWords = words(
  'branch branches changed changes commit commits committed diff git staged uncommitted unstaged',
)

/** They only look. */
export const gitCommands: readonly string[] = [
  'git status',
  'git diff',
  'git log --oneline -20',
  'git branch',
]

/** Files that are known without an ending. */
export const bareNames = words(
  'changelog dockerfile gemfile jenkinsfile licence license makefile procfile rakefile readme',
)
