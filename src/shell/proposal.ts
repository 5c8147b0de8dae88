/**
 * Commands that an answer proposes, as they may stand on the prompt: one line each, exactly as it is shown. What could hide
 * something (control characters, other line ends, invisible or turned letters, the shell's history) is left out and counted.
 */
export type Proposals = { readonly commands: readonly string[]; readonly refused: number }

const MAX_LENGTH = 1_000
const MAX_PROPOSALS = 9
const SHELLS = /^(?:sh|bash|shell|zsh|fish|console|terminal|shell-session)$/i

export function proposalsIn(text: string, called: readonly string[]): Proposals {
  const marked = [...text.matchAll(/^[ \t]*CMD:[ \t]*(.+)$/gm)].map((match) =>
    (match[1] ?? '').trim().replace(/^`(.*)`$/, '$1'),
  )
  const asked = called.flatMap((command) =>
    command.includes('\n') ? linesOf(command.split('\n')) : [command],
  )
  const found = [...asked, ...marked, ...(marked.length > 0 ? [] : fencedCommands(text))]
  const wanted = [...new Set(found.map((command) => command.trim()).filter(Boolean))]
  const safe = wanted.filter(isPlaceable)
  return { commands: safe.slice(0, MAX_PROPOSALS), refused: wanted.length - safe.length }
}

/** Every line of every shell block; a construct of several lines is one command, and is refused as such. */
function fencedCommands(text: string): readonly string[] {
  const found: string[] = []
  let block: string[] | undefined
  for (const line of text.split('\n')) {
    const fence = /^[ \t]*```[ \t]*([\w-]*)[ \t]*$/.exec(line)
    if (!fence) block?.push(line)
    else if (block) {
      found.push(...linesOf(block))
      block = undefined
    } else if (SHELLS.test(fence[1] ?? '')) block = []
    else if (fence[1] !== '') block = undefined
  }
  return found
}

function linesOf(block: readonly string[]): readonly string[] {
  const hasPrompts = block.some((line) => /^\s*[$%]\s/.test(line))
  // With prompts in it, lines without one are what was printed.
  const commands = hasPrompts ? block.filter((line) => /^\s*[$%]\s/.test(line)) : block
  const joined = commands.join('\n').replaceAll(/\\\n\s*/g, '')
  if (/<<|^\s*(?:do|then|else|done|fi|esac|\})(?:\s|;|$)/m.test(joined)) return [joined.trim()]
  return joined
    .split('\n')
    .map((line) => line.trim().replace(/^[$%]\s+/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** What is shown is what is run: printable characters, ordinary spaces, nothing that is drawn as nothing. */
export const isPlaceable = (command: string): boolean =>
  command.length <= MAX_LENGTH &&
  !/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(command) &&
  !/(?! )\p{Zs}/u.test(command) &&
  !/^[:?!]/.test(command) &&
  !usesHistory(command)

/** `!name` outside of single quotes is replaced by an earlier line when Enter is pressed. */
const usesHistory = (command: string): boolean => /(?<!\[)![^\s=(]/.test(command.replaceAll(/'[^']*'/g, "''"))
