/**
 * Porter's stemmer (1980): "deployed", "deploys" and "deployment" become one word. The same code stems what is stored and
 * what is asked, so its mistakes cancel out.
 */
export function stem(word: string): string {
  const known = stems.get(word)
  if (known !== undefined) return known
  if (stems.size >= MAX_KEPT) stems.clear()
  const found = toStem(word)
  stems.set(word, found)
  return found
}

/** Few words make up most of all text. */
const stems = new Map<string, string>()
const MAX_KEPT = 20_000

function toStem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  return [plural, pastOrProgressive, finalY, longSuffix, mediumSuffix, shortSuffix, tidy].reduce(
    (current, step) => step(current),
    word,
  )
}

const VOWELS = /[aeiou]|(?<=[^aeiou])y/
const MEASURE = /(?:[aeiou]|(?<=[^aeiou])y)+(?:[^aeiouy]|(?<=[aeiou])y|^y)+/g

/** How many vowel-consonant pairs the word has: short stems keep their endings. */
const measure = (word: string): number => word.match(MEASURE)?.length ?? 0
const endsDouble = (word: string): boolean => /([^aeiou])\1$/.test(word)
const endsShort = (word: string): boolean => /[^aeiou][aeiouy][^aeiouwxy]$/.test(word)

function plural(word: string): string {
  if (/(?:ss|i)es$/.test(word)) return word.slice(0, -2)
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word
}

function pastOrProgressive(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word
  const base = /^(.+)(?:ed|ing)$/.exec(word)?.[1]
  if (base === undefined || !VOWELS.test(base)) return word
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`
  if (endsDouble(base) && !/[lsz]$/.test(base)) return base.slice(0, -1)
  return measure(base) === 1 && endsShort(base) ? `${base}e` : base
}

/** After a consonant only, as the later version of the stemmer has it: else "deployed" and "deployment" part. */
const finalY = (word: string): string => word.replace(/(?<=.[^aeiou])y$/, 'i')

const LONG: Readonly<Record<string, string>> = {
  ational: 'ate',
  tional: 'tion',
  enci: 'ence',
  anci: 'ance',
  izer: 'ize',
  abli: 'able',
  alli: 'al',
  entli: 'ent',
  eli: 'e',
  ousli: 'ous',
  ization: 'ize',
  ation: 'ate',
  ator: 'ate',
  alism: 'al',
  iveness: 'ive',
  fulness: 'ful',
  ousness: 'ous',
  aliti: 'al',
  iviti: 'ive',
  biliti: 'ble',
}
const MEDIUM: Readonly<Record<string, string>> = {
  icate: 'ic',
  ative: '',
  alize: 'al',
  iciti: 'ic',
  ical: 'ic',
  ful: '',
  ness: '',
}
const SHORT = /(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|(?<=[st])ion|ou|ism|ate|iti|ous|ive|ize)$/

const replaceIn =
  (table: Readonly<Record<string, string>>) =>
  (word: string): string => {
    const suffix = Object.keys(table)
      .filter((ending) => word.endsWith(ending))
      .toSorted((a, b) => b.length - a.length)[0]
    if (suffix === undefined) return word
    const base = word.slice(0, -suffix.length)
    return measure(base) > 0 ? base + (table[suffix] ?? '') : word
  }

const longSuffix = replaceIn(LONG)
const mediumSuffix = replaceIn(MEDIUM)

function shortSuffix(word: string): string {
  const base = word.replace(SHORT, '')
  return measure(base) > 1 ? base : word
}

function tidy(word: string): string {
  const base = word.endsWith('e') ? word.slice(0, -1) : word
  const size = measure(base)
  const kept = size > 1 || (size === 1 && !endsShort(base)) ? base : word
  return kept.endsWith('ll') && measure(kept) > 1 ? kept.slice(0, -1) : kept
}
