/**
 * Machines whose clocks are wrong, and jump in the middle of a session. Real processes in network namespaces with
 * libfaketime below them: what Node, OpenSSL and the program see of the wall clock is wrong; time that only counts
 * goes on as it does when a clock is set.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../support/wait.ts'
import { type NamespaceMachine, openSite, type Site, whyNoClocks } from './namespaces.ts'
import { missing as noServer } from './nats/server.ts'
import { type NatsMachine, type NatsSite, openNatsSite } from './nats/site.ts'
import { runs } from '../support/runs.ts'
import { seededSlice } from '../support/seed.ts'

const missing = whyNoClocks()
const why = missing === undefined ? '' : ` (skipped: ${missing})`

const SWARM = `
[swarm]
mode = "always"
workers = 2
most = 2
ahead = 2
rounds = 1
deadline_s = 20
`
const ANSWER = { status: 200, text: 'The answer is 42 .', missing: [], voted: 2 }
const EVERY_JUMP = ['+1d', '-1h', '+20y', '-20y'] as const
const JUMPS = seededSlice(EVERY_JUMP, runs(1, EVERY_JUMP.length), 'clocks')
/** An answer takes a second. */
const MIDDLE_MS = 500

describe.skipIf(missing !== undefined)(`machines with wrong clocks on one network${why}`, () => {
  let site: Site
  let one: NamespaceMachine
  let two: NamespaceMachine

  const here = async (machine: NamespaceMachine) => (await machine.here()) === 1

  beforeAll(async () => {
    site = await openSite(2, `health_s = 0.5\ngone_s = 6\nstall_s = 6\n${SWARM}`)
    ;[one, two] = site.machines as [NamespaceMachine, NamespaceMachine]
    await one.setClock('-30d')
    await two.setClock('+30y')
    await Promise.all([one.serve(), two.serve()])
    const { out } = await one.run(['peers', 'invite'])
    const joined = await two.run(['peers', 'join', out.trim()])
    expect(joined).toMatchObject({ code: 0 })
    await until(() => here(one))
  }, 300_000)

  afterAll(() => site.close())

  test('pair, know each other by their keys alone, and vote', async () => {
    const made = await readFile(join(two.folder, 'data', 'covey', 'peers.json'), 'utf8')

    expect(await one.chat('covey/swarm')).toMatchObject(ANSWER)
    // So that it is known that the clock is really another one.
    expect(new Date((JSON.parse(made) as Book).peers[0]?.pairedAt ?? 0).getFullYear()).toBeGreaterThan(2050)
  })

  test.each(JUMPS.flatMap((jump) => (['one', 'two'] as const).map((who) => [jump, who] as const)))(
    'a jump of %s on machine %s in the middle of an answer costs no vote and no peer',
    async (jump, who) => {
      const victim = { one, two }[who]
      await victim.setClock('+0')

      const asked = one.chat('covey/swarm')
      await pause(MIDDLE_MS)
      await victim.setClock(jump)
      const chat = await asked
      const seen = await one.here()
      const after = await one.chat('covey/swarm')

      expect([chat, seen, after]).toEqual([
        expect.objectContaining(ANSWER),
        1,
        expect.objectContaining(ANSWER),
      ])
    },
  )

  describe('an invitation', () => {
    const invite = async () => (await one.run(['peers', 'invite'])).out.trim()
    const join = (code: string) => two.run(['peers', 'join', code])
    afterEach(() => one.setClock('+0'))

    test.each([
      ['is over where the clock of the one who invites was set forward by a day', '+1d'],
      ['is over once ten minutes passed there', '+601s'],
      ['does not live longer where it was set back by an hour', '-1h'],
    ])('%s', async (_, jump) => {
      await one.setClock('+0')
      const code = await invite()

      await one.setClock(jump)
      const joined = await join(code)

      expect(joined).toMatchObject({ code: 1, err: expect.stringContaining('the code is not valid there') })
    })

    test.each(JUMPS)('is good where the clock of the one who joins jumps by %s meanwhile', async (jump) => {
      await two.setClock('+0')
      const code = await invite()

      await two.setClock(jump)
      const joined = await join(code)

      expect(joined).toMatchObject({ code: 0 })
      await until(() => here(one))
    })
  })
})

type Book = { readonly peers: readonly { readonly pairedAt: string }[] }

const missingNats = noServer ?? missing
const whyNoNats = missingNats === undefined ? '' : ` (skipped: ${missingNats})`

describe.skipIf(missingNats !== undefined)(`machines with wrong clocks behind NATS${whyNoNats}`, () => {
  let site: NatsSite
  let laptop: NatsMachine
  let tower: NatsMachine

  const all = async () => (await laptop.inside.here()) === 1
  const chat = () => laptop.inside.chat('covey/swarm')

  beforeAll(async () => {
    const settings = `gone_s = 6\nrefresh_s = 1\nack_wait_s = 4\n${SWARM}`
    site = await openNatsSite(['laptop', 'tower'], settings, '+0')
    ;[laptop, tower] = site.machines as [NatsMachine, NatsMachine]
    await until(all)
  }, 300_000)

  afterAll(() => site.close())

  const jumps = (['+1d', '-1h'] as const).flatMap((jump) =>
    (['laptop', 'tower'] as const).map((who) => [jump, who] as const),
  )

  test.each(jumps)(
    'a jump of %s on %s in the middle of an answer costs no vote, and no job is too old',
    async (jump, who) => {
      const { inside } = { laptop, tower }[who]
      await inside.setClock('+0')

      const asked = chat()
      await pause(MIDDLE_MS)
      await inside.setClock(jump)

      expect([await asked, await all(), await chat()]).toEqual([
        expect.objectContaining(ANSWER),
        true,
        expect.objectContaining(ANSWER),
      ])
    },
  )

  test.each([
    ['+2000y', 'expired'],
    ['-30y', 'not yet valid'],
  ])('a clock of %s finds the certificate of the server %s, and says so', async (offset, said) => {
    await tower.kill()
    await tower.inside.setClock(offset)

    const banner = await tower.serve()
    await tower.kill()
    await tower.inside.setClock('+0')
    await tower.serve()
    await until(all)

    expect(banner).toMatch(
      new RegExp(
        `peers +ERROR: The certificate of .* is not valid at this time \\(.*${said}.*set this machine`,
      ),
    )
    expect(await chat()).toMatchObject(ANSWER)
  })
})
