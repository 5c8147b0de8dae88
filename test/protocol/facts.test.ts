/** Facts that are defined once: what is derived from them, and what the docs must name. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exitCodeOf, exitCodes } from '../../src/cli/exit-codes.ts'
import { appOptions } from '../../src/cli/app-options.ts'
import { Config } from '../../src/config/schema.ts'
import { hookEvents } from '../../src/protocol/hooks.ts'
import { NANO_ID } from '../../src/protocol/nano-id.ts'
import { lanTimingDefaults, natsTimingDefaults } from '../../src/protocol/peer-timing.ts'
import { permissionModes } from '../../src/protocol/permission-modes.ts'
import { runEndReasons, type RunEndReason } from '../../src/protocol/run-end-reasons.ts'
import { undocumented } from './facts.ts'

const root = join(import.meta.dirname, '../..')
const reasons = Object.keys(runEndReasons) as RunEndReason[]

test('the docs name every permission mode, end of a run, hook event and exit code', () => {
  const facts = { modes: permissionModes, reasons, hooks: hookEvents, exits: Object.values(exitCodes) }

  expect(undocumented(root, facts)).toEqual([])
  expect(undocumented(root, { ...facts, modes: ['plan'], reasons: ['tired'] })).toEqual([
    'docs/permissions.md: | `plan`',
    'docs/exit-codes.md: `tired`',
  ])
})

test('every end of a run has one exit code', () => {
  const codes = Object.fromEntries(reasons.map((reason) => [reason, exitCodeOf({ reason })]))

  expect(codes).toEqual({
    answered: 0,
    'no-answer': 3,
    'max-turns': 3,
    budget: 3,
    'window-too-small': 3,
    'no-progress': 3,
    repetition: 3,
    'repeated-call': 3,
    'patch-spiral': 3,
    'check-failed': 3,
    cancelled: 130,
    error: 1,
  })
  expect(exitCodeOf({ reason: 'no-answer', denied: ['write_file'] })).toBe(4)
})

test('the help of --permission names every mode', () => {
  const help = appOptions.find(({ flags }) => flags.includes('--permission'))?.description ?? ''

  expect(permissionModes.filter((mode) => !help.includes(mode))).toEqual([])
})

test('the configuration has the defaults of the federation and of the built-in model', () => {
  const { federation, router } = Config.parse({})
  const { nats } = federation

  expect([federation.health_s, federation.gone_s, federation.stall_s]).toEqual(
    [lanTimingDefaults.healthMs, lanTimingDefaults.goneMs, lanTimingDefaults.stallMs].map((ms) => ms / 1000),
  )
  expect([nats.refresh_s, nats.gone_s, nats.ack_wait_s, nats.deadline_s, nats.first_token_s]).toEqual(
    [
      natsTimingDefaults.refreshMs,
      natsTimingDefaults.goneMs,
      natsTimingDefaults.ackWaitMs,
      natsTimingDefaults.deadlineMs,
      natsTimingDefaults.firstTokenMs,
    ].map((ms) => ms / 1000),
  )
  expect(router.classifier).toBe(NANO_ID)
})
