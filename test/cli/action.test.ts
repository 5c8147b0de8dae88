import { expect, test } from 'vitest'
import { requireAction } from '../../src/cli/action.ts'

test.each(['nothing', 'constructor', '__proto__', ''])(
  '%j is no action, and those that are get named',
  (name) => {
    const actions = { ls: () => 1, rm: () => 2 }

    expect(() => requireAction('memory', actions, name)).toThrow(
      `unknown action "${name}" of covey memory; there are ls, rm.`,
    )
  },
)
