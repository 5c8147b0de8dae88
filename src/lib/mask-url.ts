/**
 * Addresses as they may be shown. What a person configures as an address may hold a password, a token or a key; code
 * that prints an address, or a text that may quote one, passes it through here.
 */
export const MASK = '********'

/** The same text; in each address in it the user, the password and the secret parameters are covered. */
export const maskUrls = (text: string): string =>
  text.includes('://') ? text.replace(ADDRESS, maskUrl) : text

/** `{0,30}`: a scheme is short, and a long word must not be tried from each of its letters. */
const ADDRESS = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>`]+/gi

function maskUrl(address: string): string {
  const start = address.indexOf('://') + '://'.length
  const host = start + lengthOfUser(address.slice(start))
  const user = host > start ? `${MASK}@` : ''
  return address.slice(0, start) + user + maskParameters(address.slice(host))
}

/** With its `@`; 0 where there is none. A password that is not escaped may hold a slash. */
function lengthOfUser(rest: string): number {
  const end = rest.search(/[/?#\\]/)
  const authority = end === -1 ? rest : rest.slice(0, end)
  if (authority.includes('@')) return authority.lastIndexOf('@') + 1
  const isHost = /^(?:\[[^\]]*\]|[^:]*)(?::\d*)?$/.test(authority)
  return isHost ? 0 : rest.lastIndexOf('@') + 1
}

function maskParameters(rest: string): string {
  const at = rest.search(/[?#]/)
  if (at === -1) return rest
  const masked = rest
    .slice(at)
    .split(/([?#&;])/)
    .map((part) => maskParameter(part))
  return rest.slice(0, at) + masked.join('')
}

function maskParameter(part: string): string {
  const at = part.indexOf('=')
  // `?KEY` without a name may be the key itself.
  if (at === -1) return KEY_ALONE.test(part) ? MASK : part
  return at + 1 < part.length && SECRET.test(decoded(part.slice(0, at)))
    ? `${part.slice(0, at)}=${MASK}`
    : part
}

const KEY_ALONE = /^[\w.~%+-]{20,}$/
const SECRET = /token|key|secret|pass|pwd|auth|credential|signature|^sig$|session|jwt|bearer|^code$/i

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
