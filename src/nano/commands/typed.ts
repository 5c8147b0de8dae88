/** A clause that is a command as it would be typed: "php artisan migrate please", "then git pull". Pure. */
import { isProgram, isTyped } from './programs.ts'
import { withRunner } from './runner.ts'
import type { PathProject } from '../paths/project.ts'

const LEAD =
  /^\W*?(?:\d+[.)]\s+)?(?:(?:please|pls|plz|ok|okay|now|then|and|also|next|just(?= (?:run|do|execute|type|git|npm|python3?|bash|sh|node|docker)\b)|so|first|afterwards|finally|again|run|do|execute|type)\b[\s,:]*)*/i
const TAIL =
  /(?:[\s,]+(?:please|pls|plz|thanks?|thx|now|again|first|next|then|go|here|real quick|quickly|after(?:wards)?|too|for me|(?:w\/|with|via|in|using) (?:bash|sh|python3?|node|lua)))*(?:(?<=\w)[.!]+)?(?:\s+(?:&&|;))?$/i
const WRAPPED = /^(["'`])(.*)\1$/

/** Nothing where a word of English is in it: "git push is what broke it". */
export function typedCommand(clause: string, project?: PathProject): string | undefined {
  if (clause.length > LONGEST) return undefined
  const plain = clause.trim().replace(LEAD, '')
  for (const text of [plain, ...cutsOf(plain)]) {
    const found = commandIn(text.replace(TAIL, ''), project)
    if (found !== undefined) return found
  }
  return undefined
}

/** A longer one is pasted. */
const LONGEST = 1000

/** What is said behind a command: "npm run links I'm worried about the map", "du -sh data, just curious"; not "git push I did yesterday". */
const TALK =
  /\s+(?:please|pls|plz)\b|\s+(?:and\s+|so\s+)?(?:(?:i|we)(?:['’](?:m|re|ll|d like)|\s+(?:am|are|want|need|will|would))|im)\s|\s+\(|\s+(?:[-–—]|<-)\s+|,\s+(?=(?:just|only|so|i|im|i['’]m|we|for|to see|because|cause|cos|lets?|let['’]s|want|need|curious|thanks|cheers|go)\b)/gi

/** It happened, is not to happen, or only on a condition. */
const AGAINST =
  /\b(?:broke\w*|did|done|said|says|told|tried|was|were|never|not|no|nope|don|wait|already|yesterday|if|unless|when|once|until|later|tomorrow|instead|wrong|why|what|how|would|wouldn|should|shouldn|kidding|joking)\b|n['’]t\b|\?/i

function cutsOf(plain: string): string[] {
  return Array.from(plain.matchAll(TALK))
    .filter(({ 0: sign, index }) => {
      const rest = plain.slice(index + sign.length)
      const [next = ''] = rest.split(/\s/)
      return !AGAINST.test(rest) && (!isProgram(next) || /^(?:just|go)$/i.test(next))
    })
    .map(({ index }) => plain.slice(0, index))
}

function commandIn(plain: string, project: PathProject | undefined): string | undefined {
  const text = WRAPPED.exec(plain)?.[2] ?? plain
  if (!isTyped(text, project)) return undefined
  return (project && withRunner(text, project)) ?? text
}
