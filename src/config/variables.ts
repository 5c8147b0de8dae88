/** `${VARIABLE}` in a secret: its value comes from the environment, and only when the secret is used. */

const REFERENCE = /\$\{([A-Za-z_]\w*)\}/g

/** The variables that texts refer to and the environment does not hold, each once. */
export function missingIn(texts: readonly string[], env: NodeJS.ProcessEnv): readonly string[] {
  const names = texts.flatMap((text) => [...text.matchAll(REFERENCE)].map((match) => match[1] ?? ''))
  return [...new Set(names)].filter((name) => valueOf(name, env) === '')
}

/** The text as it is sent. Never print it. */
export const filled = (text: string, env: NodeJS.ProcessEnv): string =>
  text.replace(REFERENCE, (_reference, name: string) => valueOf(name, env))

export const allFilled = (
  texts: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, filled(text, env)]))

/** Every object has a `constructor`, the environment too. */
const valueOf = (name: string, env: NodeJS.ProcessEnv): string =>
  Object.hasOwn(env, name) ? (env[name] ?? '') : ''
