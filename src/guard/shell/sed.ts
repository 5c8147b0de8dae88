/**
 * A sed script, read as sed reads it. Only commands that print, choose or replace are known; those that write or read
 * files or run programs, and every form we are not sure of, are not.
 */

export type SedFinding = 'read-only' | 'write' | 'unknown'

export function judgeSedScript(script: string): SedFinding {
  let rest = script
  // Each step takes at least one character, so this ends.
  while (rest !== '') {
    const blank = /^[\s;{}]+/.exec(rest)?.[0]
    if (blank !== undefined) {
      rest = rest.slice(blank.length)
      continue
    }
    const step = readStep(rest)
    if (typeof step !== 'number') return step
    rest = rest.slice(step)
  }
  return 'read-only'
}

/** How many characters it takes, or why it is not known to only read. */
type Step = number | 'write' | 'unknown'

function readStep(text: string): Step {
  if (text.startsWith('#')) return (/^[^\n]*/.exec(text)?.[0] ?? text).length
  const address = readAddresses(text)
  if (address === undefined) return 'unknown'
  const command = readCommand(text.slice(address))
  return typeof command === 'number' ? address + command : command
}

/** Length of the addresses in front of a command, its `!` included. */
function readAddresses(text: string): number | undefined {
  const first = readAddress(text)
  if (first === undefined) return undefined
  let length = first
  if (first > 0 && text[length] === ',') {
    const tail = text.slice(length + 1)
    const second = /^[+~]\d+/.exec(tail)?.[0].length ?? readAddress(tail)
    if (!second) return undefined
    length += 1 + second
  }
  return length + (/^\s*!?\s*/.exec(text.slice(length))?.[0].length ?? 0)
}

function readAddress(text: string): number | undefined {
  const number = /^(?:\d+(?:~\d+)?|\$)/.exec(text)?.[0]
  if (number !== undefined) return number.length
  if (!text.startsWith('/')) return text.startsWith('\\') ? undefined : 0
  const end = endOfPattern(text, 1, '/')
  return end === undefined ? undefined : end + (/^[IM]*/.exec(text.slice(end))?.[0].length ?? 0)
}

/** The place after the closing delimiter. A bracket that is not closed before it may hold the delimiter: not sure. */
function endOfPattern(text: string, start: number, delimiter: string): number | undefined {
  for (let index = start; index < text.length; index++) {
    if (text[index] === '\\') index++
    else if (text[index] === '\n') return undefined
    else if (text[index] === delimiter) {
      const isOpen = text.slice(start, index).replaceAll(CLOSED, '').includes('[')
      return isOpen ? undefined : index + 1
    }
  }
  return undefined
}

/** Escapes, and brackets that are certain to end where they seem to. */
const CLOSED = /\\.|\[(?!\^?\])\^?(?:\[:[a-z]+:\]|[^\][\\])+\]/gs

function readCommand(text: string): Step {
  const [name = ''] = text
  if (name === 's' || name === 'y') return readSubstitution(text)
  if (name === '{' || name === '}') return 1
  if (/^[pPdDnNgGhHxlFz=]/.test(text)) return ended(text, 1)
  const quit = /^[qQ]\s*\d*/.exec(text)?.[0]
  if (quit !== undefined) return ended(text, quit.length)
  const jump = /^[btT:]\s*\w*/.exec(text)?.[0]
  if (jump !== undefined) return ended(text, jump.length)
  // Text to print takes the rest of its line; one that goes on in the next is left to others.
  const printed = /^[aic][^\n]*/.exec(text)?.[0]
  if (printed !== undefined) return printed.endsWith('\\') ? 'unknown' : printed.length
  return /^[wW]/.test(text) ? 'write' : 'unknown'
}

/** A command ends where the next one may begin. */
const ended = (text: string, length: number): Step =>
  /^[ \t]*(?:$|[\n;}#])/.test(text.slice(length)) ? length : 'unknown'

function readSubstitution(text: string): Step {
  const [name, delimiter = ''] = text
  if (!/^[/|,:#@!%+_-]$/.test(delimiter)) return 'unknown'
  const middle = endOfPattern(text, 2, delimiter)
  const end = middle === undefined ? undefined : endOfPattern(text, middle, delimiter)
  if (end === undefined) return 'unknown'
  const flags = /^[a-zA-Z0-9]*/.exec(text.slice(end))?.[0] ?? ''
  if (/w/.test(flags)) return 'write'
  if (!(name === 's' ? /^[gpiIm0-9]*$/ : /^$/).test(flags)) return 'unknown'
  return ended(text, end + flags.length)
}
