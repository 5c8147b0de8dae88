/** A clause that is a command as it would be typed: "php artisan migrate please", "then git pull". Pure. */
import { isProgram } from './command-candidates.ts'

const LEAD =
  /^\W*?(?:(?:please|pls|plz|ok|okay|now|then|and|also|next|just|so|first|afterwards|finally|again|run|do|execute|type)\b[\s,:]*)*/i
const TAIL =
  /(?:[\s,]+(?:please|pls|plz|thanks?|thx|now|again|first|next|then|after(?:wards)?|too|for me))*(?:(?<=\w)[.!]+)?$/i
const WRAPPED = /^(["'`])(.*)\1$/
const QUOTED = /"[^"]*"|'[^']*'/g

/** They are words of English, too. */
const WORDS = new Set(
  (
    'make which file find sort cat date free top env head tail cut test go just time watch type echo touch tree stat love uniq du df ' +
    'diff less more bundle composer rake rails helm dart swift mix wp julia perl'
  ).split(' '),
)
const PROSE = new Set(
  (
    'a an the my our your it its is was were are to with and or in on for of that this what which who why how i you we they be by at from ' +
    "into not don't as if so when me then but"
  ).split(' '),
)

const MOST_ARGUMENTS = 8

/** Nothing where a word of English is in it: "git push is what broke it". */
export function typedCommand(clause: string): string | undefined {
  if (clause.length > LONGEST) return undefined
  const plain = clause.trim().replace(LEAD, '').replace(TAIL, '')
  return commandIn(plain) ?? commandIn(plain.split(TELLS, 1)[0]?.replace(TAIL, '') ?? '')
}

/** A longer one is pasted. */
const LONGEST = 1000

/** What is said behind a command: "npm run links I'm worried about the map", not "git push I did yesterday". */
const TELLS =
  /\s+(?:please|pls|plz)\b|\s+(?:and\s+|so\s+)?(?:(?:i|we)(?:['’](?:m|re|ll|d like)|\s+(?:am|are|want|need|will|would))|im)\s(?!.*\b(?:broke\w*|did|done|said|told|tried|never|not|already|yesterday)\b|.*n['’]t\b)/i

function commandIn(plain: string): string | undefined {
  const text = WRAPPED.exec(plain)?.[2] ?? plain
  const [program = '', ...args] = text.replaceAll(QUOTED, 'quoted').split(/\s+/)
  if (args.length === 0 || args.length > MOST_ARGUMENTS || !isProgram(program)) return undefined
  const isEnglish = args.some((arg) => PROSE.has(arg.toLowerCase()) || /[,;:?!]$/.test(arg))
  // "Grep wake_lock" reads nothing: it is a search in other words.
  if (/^(?:grep|rg|ag)$/.test(program) && !args.some((arg) => /^-|[./]/.test(arg))) return undefined
  // "Make folder a/b" names no target.
  if (program === 'make' && args.some((arg) => arg.includes('/') && !arg.includes('='))) return undefined
  const isTelling = !WORDS.has(program) || args.some((arg) => /^--?\w|[./]\w/.test(arg))
  return isEnglish || !isTelling ? undefined : text
}
