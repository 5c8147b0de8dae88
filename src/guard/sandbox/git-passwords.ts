/**
 * A repository's own configuration as commands may see it: addresses without the password in them, headers and settings that
 * hold a login without their value. Everything else stays, so that git goes on as it is configured.
 */
import { judgeName } from '../secrets/name.ts'
import { scanSecrets } from '../secrets/scan.ts'

/** Undefined where there is nothing to hide. */
export function withoutPasswords(text: string): string | undefined {
  const lines = text.split(/(?<!\\)\n/)
  const cleaned = lines.map(cleanLine).join('\n')
  return cleaned === text ? undefined : cleaned
}

/** One setting, with the lines it goes on in. */
function cleanLine(line: string): string {
  const plain = line.replaceAll(LOGIN, (_, scheme: string) => `${scheme}hidden@`)
  const [, name = '', value = ''] = /^\s*(?:\[[^\]]*\]\s*)?([\w-]+)\s*=\s*([^]*)$/.exec(plain) ?? []
  if (value === '') return scanSecrets(plain).length > 0 ? '# hidden' : plain
  const isLogin = LOGIN_NAME.test(name) || (judgeName(name) !== undefined && !/^[./~]/.test(value))
  const holds =
    isLogin || HELPER.test(value) || scanSecrets(plain).length > 0 || scanSecrets(value).length > 0
  return holds ? `${plain.slice(0, plain.length - value.length)}hidden` : plain
}

/** `user:password@`, and a lone name where the scheme takes a token for one. */
const LOGIN = /\b([a-z][a-z+.-]*:\/\/)(?:[^\s/@:"]*:[^\s/@"]+|(?<=https?:\/\/)[^\s/@"]+)@/gi

const LOGIN_NAME =
  /^(?:extraheader|cookiefile|smtppass|pass|oauthtoken|sslcertpasswordprotected|.*(?:password|token|secret))$/i

/** A helper that is a shell script may print what it knows. */
const HELPER = /^["']?!.*(?:password|username|token|secret)/is
