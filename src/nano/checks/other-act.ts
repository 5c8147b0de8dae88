/**
 * Signs that something else is to be done than what was called: a deletion the request does not mention, a look where a change is ordered, a whole folder
 * or file where a part of it is meant, words run as a command. Rules of contradiction.ts. Pure.
 */
import type { Rule } from '../weights/ban.ts'
import { isNamed, wordsIn } from '../request/naming.ts'
import { ownWords } from './other-path.ts'
import { isActing } from '../weights/tools.ts'
import { stopWords } from '../request/words.ts'

const DELETES =
  /\b(?:delet\w*|del|remov\w*|rm|rmdir|unlink|eras\w*|drop\w*|trash\w*|bin\w*|scrap\w*|discard\w*|dispos\w*|rid|nuk\w*|kill\w*|zap\w*|wip\w*|clear\w*|clean\w*|purg\w*|toss\w*|chuck\w*|throw\w*|ditch\w*|dump\w*|axe\w*|gone|go|goes|away|out|lose|destroy\w*|shred\w*|junk\w*|obsolete|redundant|useless|cut|strike|yank\w*|whack\w*|shot|yeet\w*|need\w*|want\w*)\b/i

const unspokenDeletion: Rule = ({ name }, words) =>
  name === 'delete_file' && !DELETES.test(ownWords(words)) ? { kind: 'tool', name } : undefined

/** One that is there is not made: "a folder called photos in diary" is not diary. */
const folderThere: Rule = ({ name, input }, { sources }) => {
  const { path } = input
  return name === 'make_folder' &&
    typeof path === 'string' &&
    sources.paths.includes(`${path.replace(/\/+$/, '')}/`)
    ? { kind: 'path', path }
    : undefined
}

/** "I'd like to delete the draft" is not a wish to see it. */
const onlyLooksAt: Rule = ({ name }, { clause }) =>
  !isActing(name) && CHANGES.test(clause) && !LOOKS.test(clause) ? { kind: 'looks' } : undefined

const CHANGES =
  /^\W*(?:(?:please|pls|plz|kindly|hey|hi|ok|okay|now|then|next|just|also|and|so|can you|could you|would you|will you|i(?:'d| would) like (?:you )?to|i want (?:you )?to|i need (?:you )?to|let's|lets|go ahead and)[\s,]+)*(?:delete|remove|erase|rename|move|copy|duplicate|append|replace)\b/i
const LOOKS =
  /\b(?:show|see|look|list|read|open|view|display|print|tell|check|find|search|what|which|where|whether|if|first|before|left|remains?|result|contents?)\b|\?/i

/** "Show silences, then remove dana's one": a line of the file that was looked at, not the file. */
const lineNotFile: Rule = ({ name, input }, { clause, sources: { lines }, recent }) => {
  const { path } = input
  if (name !== 'delete_file' || typeof path !== 'string' || isNamed(path, clause)) return undefined
  const words = wordsIn(clause).filter(
    (word) => word.length > 3 && !stopWords.has(word) && !DELETES.test(word),
  )
  const isSaid = lines.some(
    (line) => line.path === path && words.some((word) => wordsIn(line.text).includes(word)),
  )
  return recent.includes(path) && isSaid ? { kind: 'tool', name } : undefined
}

/** Nothing is changed into itself. */
const noChange: Rule = ({ name, input }) =>
  name === 'edit_file' && input['old'] === input['new'] ? { kind: 'tool', name } : undefined

/** A whole folder goes only where a folder is spoken of, or its path is spelled: "delete the old invoice" is not invoices/old. */
const wholeFolder: Rule = ({ name, input }, { clause }) => {
  const { path } = input
  if (name !== 'delete_file' || typeof path !== 'string' || !path.endsWith('/')) return undefined
  const isSaid = FOLDERS.test(clause) || clause.toLowerCase().includes(path.slice(0, -1).toLowerCase())
  return isSaid ? undefined : { kind: 'path', path }
}

const FOLDERS =
  /\b(?:folders?|foldr|director(?:y|ies)|dirs?|subfolders?|everything|all|both|it|that|them|entire|whole|contents?|tree)\b|\/(?:\s|$)/i

/** What is run begins with a program, not with a word of the sentence. */
const noCommand: Rule = ({ name, input }, { sources }) => {
  const { command } = input
  if (name !== 'run_command' || typeof command !== 'string') return undefined
  if (sources.scripts.some((script) => script.command === command)) return undefined
  return /^(?:\w+=\S* )*[\w./~$-]*[\w/~)](?:\s|$|[;&|>])/.test(command) && !/\b\d\.(?:\s|$)/.test(command)
    ? undefined
    : { kind: 'tool', name }
}

export const otherActs: readonly Rule[] = [
  unspokenDeletion,
  folderThere,
  onlyLooksAt,
  wholeFolder,
  lineNotFile,
  noChange,
  noCommand,
]
