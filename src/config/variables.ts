/** `${VARIABLE}` in a secret: its value comes from the environment, and only when the secret is used. */

const REFERENCE = /\$\{([A-Za-z_]\w*)\}/g

/** The variables that texts refer to, each once. */
export const variablesIn = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(REFERENCE)].map((match) => match[1] ?? ''))),
]

/** Those of them that the environment does not hold. */
export const missingIn = (texts: readonly string[], env: NodeJS.ProcessEnv): readonly string[] =>
  variablesIn(texts).filter((name) => valueOf(name, env) === '')

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
