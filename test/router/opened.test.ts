/** The fleet as it is opened from a configuration, with real servers. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ArmWanted } from '../../src/app/arms.ts'
import { routedArms } from '../../src/config/choose-arm.ts'
import { Config } from '../../src/config/schema.ts'
import { openFleet, openRouterService } from '../../src/app/routing.ts'
import { capabilitiesOf } from '../../src/provider/arm-models.ts'
import { scriptedModel } from '../../src/provider/scripted.ts'
import { type Arm, createArm } from '../../src/router/arm.ts'
import { openRecord } from '../../src/router/record.ts'
import { covey } from '../support/covey.ts'
import { startModelServer } from '../support/model-server.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

async function server(text: string) {
  const started = await startModelServer([{ text }], { repeatLast: true })
  onTestFinished(() => started.close())
  return started
}

test('a server of router.servers answers where nothing else is configured', async () => {
  const { url } = await server('From the further server.')
  const env = { ...(await emptyHome()), COVEY_ROUTER__SERVERS: JSON.stringify({ further: url }) }
  const cwd = await tempProject({ 'a.txt': 'hello' })

  const run = await covey(['Explain a.txt'], { cwd, env })

  expect(run.out).toBe('From the further server.\n')
})

test('a request is not sent to a cloud arm to be classified until the cloud is allowed', async () => {
  const [near, far] = [await server('Here.'), await server('{}')]
  const arms = {
    near: { base_url: near.url, window: 16_384 },
    other: { base_url: near.url, window: 16_384, model: 'other' },
    far: { base_url: far.url, window: 16_384, local: false },
  }
  const env = {
    ...(await emptyHome()),
    COVEY_ARMS: JSON.stringify(arms),
    COVEY_ROUTER__DISCOVER: 'false',
    COVEY_ROUTER__CLASSIFIER: 'far',
  }

  const run = await covey(['--no-probe', 'Explain a.txt'], {
    cwd: await tempProject({ 'a.txt': 'hello' }),
    env,
  })

  expect(run).toMatchObject({ code: 0, out: 'Here.\n' })
  expect(far.requests).toEqual([])
  expect(run.err).toContain('router.classifier names far, which is off (cloud)')
})

test('an arm that is switched off does not come back as a server that is found', async () => {
  const { url } = await server('Hello.')
  const config = Config.parse({
    arms: { off: { base_url: url, model: 'test-model', enabled: false } },
    router: { servers: { further: `${url}/` } },
  })

  const fleet = await openFleet({
    config,
    arms: routedArms(config, {}).arms,
    dataFolder: await tempProject(),
    incognito: true,
    agents: [],
    peers: () => [],
    open: async (wanted) => ({ arm: armFor(wanted), why: '', warnings: [], close: async () => {} }),
    warn: expect.fail,
  })
  onTestFinished(() => fleet.close())

  const enabled = (id: string) => fleet.arms().find(({ arm }) => arm.id === id)?.enabled
  await expect.poll(() => enabled('further/test-model')).toBe(false)
  expect(fleet.router.hasOther('off')).toBe(false)
})

function armFor(wanted: ArmWanted): Arm {
  const id = wanted.kind === 'arm' ? wanted.settings.id : 'covey/nano'
  const settings = { id, kind: 'openai-compatible', model: id, headers: {}, local: true, known: {} } as const
  return createArm({
    id,
    local: true,
    capabilities: capabilitiesOf(settings, undefined),
    native: scriptedModel(),
    counter: { count: () => 0, observe: () => {} },
    countRequest: () => 0,
    learnWindow: () => undefined,
    now: () => 0,
  })
}

test('what is shown of an arm starts from what the router itself expects of it', async () => {
  const folder = await tempProject()
  const record = await openRecord({
    path: join(folder, 'router.json'),
    learning: true,
    onProblem: expect.fail,
  })
  const ids = ['sonnet', 'here', 'covey/nano', 'agent/claude', 'constructor']
  for (const arm of ids) {
    record.noteRun({ runId: arm, arm, type: 'debug', complexity: 0.5 })
    record.noteEvidence(arm, 'answered')
  }
  await record.flush()
  const arms = { sonnet: { kind: 'anthropic' }, here: { base_url: 'http://127.0.0.1:1/v1' } }

  const { tasks } = await (await openRouterService(Config.parse({ arms }), folder, expect.fail)).stats()

  const means = Object.fromEntries(tasks.map(({ arm, quality }) => [arm, Math.round(quality.mean * 20) / 20]))
  expect(means).toEqual({ sonnet: 0.85, here: 0.5, 'covey/nano': 0.2, 'agent/claude': 0.7, constructor: 0.5 })
})
