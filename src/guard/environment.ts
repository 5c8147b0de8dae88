/** The environment of child processes: nothing that looks like a secret, and nothing that waits for a person. */

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
    (entry): entry is [string, string] => entry[1] !== undefined && !SECRET_NAME.test(entry[0]),
  )
  return { ...Object.fromEntries(kept), ...SETTINGS }
}
