/** What a command would do, in the words a person decides by. Read from its text; nothing is run. */
import { isDestructive } from './permission/always.ts'
import { readCommand } from './shell/judge.ts'
import type { Part } from './shell/script.ts'

export type Effects = {
  readonly does: 'reads' | 'writes' | 'destroys' | 'not known'
  readonly network: boolean
  readonly why: string
}

/** Never throws: what cannot be read is not known. */
export async function effectsOf(command: string): Promise<Effects> {
  try {
    const { script, nested, kind, why, isUnreadable } = await readCommand(command)
    const parts = [script, ...nested].flatMap((each) => each.parts)
    const network = parts.some(usesNetwork)
    const destroying = parts.find((part) => isDestructive(part) || removes(part))
    if (destroying) return { does: 'destroys', network, why: `${nameOf(destroying)} cannot be taken back` }
    if (isUnreadable) return { does: 'not known', network, why: 'what it runs cannot be read beforehand' }
    const does = kind === 'read-only' ? 'reads' : kind === 'write' ? 'writes' : 'not known'
    return { does, network, why }
  } catch {
    return { does: 'not known', network: false, why: 'it could not be judged' }
  }
}

const wordsOf = ({ words }: Part): readonly string[] => {
  const texts = words.map(({ text }) => text)
  return /^(?:sudo|doas)$/.test(texts[0] ?? '') ? texts.slice(1) : texts
}

const nameOf = (part: Part): string => (wordsOf(part)[0] ?? '').replace(/^.*\//, '')

const removes = (part: Part): boolean =>
  /^(?:rm|rmdir|unlink|shred|srm|dd|mkfs(?:\.\w+)?|wipefs|truncate|kill|pkill|killall|dropdb)$/.test(
    nameOf(part),
  ) || /\s-delete\b/.test(wordsOf(part).join(' '))

const NETWORK =
  /^(?:curl|wget|ssh|scp|sftp|rsync|nc|ncat|telnet|ftp|ping|dig|nslookup|host|traceroute|apt|apt-get|dnf|yum|brew|pacman|apk|gh|kubectl|aws|gcloud|az)$/
const NETWORK_CALL =
  /^(?:git (?:.* )?(?:push|pull|fetch|clone|ls-remote|submodule)|(?:npm|pnpm|yarn|bun|pip|pip3|uv|cargo|gem|go|poetry|composer) (?:i|ci|install|add|get|update|upgrade|publish|download|sync)|docker (?:pull|push|login|build|run)|npx )/

const usesNetwork = (part: Part): boolean =>
  NETWORK.test(nameOf(part)) || NETWORK_CALL.test(`${wordsOf(part).join(' ')} `)
