/**
 * What of its environment a tool host hands to commands of others: a list of names, and of these only values that are no
 * secret. Everything else, whatever it is called, is not there.
 */
const PASSED = new Set([
  'HOME',
  'LANG',
  'LANGUAGE',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TMPDIR',
  'TZ',
  'USER',
  // Where Windows and its programs find themselves.
  'COMSPEC',
  'PATHEXT',
  'SYSTEMROOT',
  'WINDIR',
])

export function toHostEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => PASSED.has(name.toUpperCase()) || /^LC_[A-Z]+$/.test(name)),
  )
}
