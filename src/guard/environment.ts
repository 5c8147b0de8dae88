/** The environment of child processes: nothing that looks like a secret, and nothing that waits for a person. */
import { judgeName } from './secret-name.ts'

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL/i

/** Plain, unpaged output, and programs that fail instead of asking. */
const SETTINGS: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  NO_COLOR: '1',
  CI: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  DEBIAN_FRONTEND: 'noninteractive',
  PYTHONUNBUFFERED: '1',
}

export function toChildEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !isSecret(entry[0], entry[1]),
  )
  return { ...Object.fromEntries(kept), ...SETTINGS }
}

/** `PWD` is a name for a secret as well, but its value is a path. */
const isSecret = (name: string, value: string): boolean =>
  SECRET_NAME.test(name) || (judgeName(name) !== undefined && !/^[./~]/.test(value))
