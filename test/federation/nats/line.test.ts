/** The shared queue at the broker, as the rest of the program sees it: `peer/any/MODEL`. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { openFlock } from '../../../src/app/peers.ts'
import { lanFiles } from '../../../src/federation/lan/open.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { tempHome } from '../../config/home.ts'
import { hear, tempFolder } from '../machines.ts'
import { until } from '../../support/wait.ts'
import { echo, missing, named, newIdentity, newServer, offerOf, open } from './server.ts'

/** One machine of the whole program that asks, and two that have the same model. */
async function flockOf(models: readonly string[]) {
  const server = await newServer()
  const dataFolder = await tempFolder()
  const { id } = await lanFiles(dataFolder).identity()
  const workers = models.map((model, index) => ({ model, name: `tower${index}`, identity: newIdentity() }))
  for (const { model, name, identity } of workers) {
    const offer = offerOf(echo, [model])
    await open({ server: { url: server.url }, trusted: [id], node: { name, identity }, offer })
  }
  const trusted = workers.map(({ identity }) => `"${identity.id}"`).join(', ')
  const home = tempHome({
    user: `[federation]\nenabled = true\ntransport = "nats"\n[federation.nats]\nurl = "${server.url}"\ntrusted = [${trusted}]\n`,
  })
  const { config } = await loadConfig({ env: home.env, cwd: home.cwd, isTrusted: () => true })
  const flock = await openFlock(config, { dataFolder, env: home.env })
  onTestFinished(() => flock.close())
  await until(() => flock.arms().filter(({ gone }) => gone === undefined).length >= models.length)
  return flock
}

describe.skipIf(missing !== undefined)(named('the first free machine'), () => {
  test('is an arm that can be named, answers, and is never chosen by itself', async () => {
    const flock = await flockOf(['small', 'small'])
    await until(() => flock.arms().some(({ arm, gone }) => arm.id === 'peer/any/small' && gone === undefined))

    const line = flock.arms().find(({ arm }) => arm.id === 'peer/any/small')
    const events = await hear(line!.arm.lease('asked for').model)

    expect(line).toMatchObject({ enabled: false, tier: 'peer' })
    expect(events.some((event) => event.type === 'text-delta')).toBe(true)
    expect(
      flock
        .health()
        .peers.map(({ name }) => name)
        .toSorted(),
    ).toEqual(['tower0', 'tower1'])
    expect(
      flock
        .elsewhere('small')
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['tower0', 'tower1'])
  })

  test('is not there for a model that only one machine has', async () => {
    const flock = await flockOf(['small', 'large'])

    expect(
      flock
        .arms()
        .map(({ arm }) => arm.id)
        .toSorted(),
    ).toEqual(['peer/tower0/small', 'peer/tower1/large'])
  })
})
