/**
 * What to type instead, where a rule hides git's history from a command: git that may see it and programs that may not, as
 * calls of their own. Nothing is run before that is said.
 */
import { readScript } from '../shell/script.ts'
import { splitCommand, splitPipe } from '../shell/split.ts'
import { leavesContents } from '../shell/git-history.ts'
import type { OpenPaths } from '../shell/git-folder.ts'

/** Two calls or more; undefined where no part of it is git that would find its history, run by itself. */
export async function callsApart(command: string, paths: OpenPaths): Promise<readonly string[] | undefined> {
  const pieces = await splitCommand(command)
  if (pieces.length === 0) return undefined
  const calls = await joined(pieces, paths)
  const piped = (await Promise.all(calls.map((call) => pipedApart(call, paths)))).flat()
  const isGit = await Promise.all(piped.map(({ isSeeing }) => isSeeing))
  return piped.length > 1 && isGit.some(Boolean) ? piped.map(({ text }) => text) : undefined
}

type Call = { readonly text: string; readonly isSeeing: boolean }

/** Neighbours of one kind stay together; a change of folder goes in front of everything behind it. */
async function joined(pieces: readonly string[], paths: OpenPaths): Promise<readonly Call[]> {
  const calls: Call[] = []
  let folder = ''
  for (const piece of pieces) {
    if (/^cd\s/.test(piece)) {
      folder += `${piece} && `
      continue
    }
    const text = folder + piece
    const isSeeing = await seesHistory(text, paths)
    const last = calls.at(-1)
    if (last?.isSeeing === isSeeing && last.text.startsWith(folder))
      calls.splice(-1, 1, { text: `${last.text} && ${piece}`, isSeeing })
    else calls.push({ text, isSeeing })
  }
  return calls
}

const FILE = '/tmp/git.txt'

/** `git log | program` becomes a file that git writes and the program reads. */
async function pipedApart(call: Call, paths: OpenPaths): Promise<readonly Call[]> {
  const [first, rest] = (call.isSeeing ? undefined : await splitPipe(call.text)) ?? []
  if (first === undefined || rest === undefined) return [call]
  const written = `${first} > ${FILE}`
  return (await seesHistory(written, paths))
    ? [
        { text: written, isSeeing: true },
        { text: `cat ${FILE} | ${rest}`, isSeeing: false },
      ]
    : [call]
}

async function seesHistory(text: string, paths: OpenPaths): Promise<boolean> {
  const script = await readScript(text)
  return script.parts.some(({ words }) => NEEDS.test(nameOf(words))) && !!leavesContents(script, paths)
}

/** The subcommand of git, behind its options. */
function nameOf(words: readonly { readonly text: string }[]): string {
  if (words[0]?.text !== 'git') return ''
  return (
    words.find(({ text }, index) => index > 0 && !text.startsWith('-') && words[index - 1]?.text !== '-C')
      ?.text ?? ''
  )
}

/** What git cannot do without its history, or without writing to the repository. */
const NEEDS =
  /^(?:status|add|rm|mv|commit|log|rev-list|reflog|shortlog|diff|blame|branch|tag|switch|checkout|restore|reset|merge|rebase|revert|cherry-pick|stash|push|describe|merge-base|cherry|show-branch|cat-file|ls-tree|worktree|submodule)$/
