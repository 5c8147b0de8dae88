/** Users that the NATS server knows by JWT: a `.creds` file, made here as `nsc` would. */
import { randomBytes } from 'node:crypto'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nkeys } from '@nats-io/transport-node'
import { describe, expect, test } from 'vitest'
import type { NatsTransport } from '../../../src/federation/nats/open.ts'
import { natsPermissions } from '../../../src/federation/nats/names.ts'
import { createLogger } from '../../../src/lib/log.ts'
import { tempProject } from '../../support/project.ts'
import {
  collect,
  echo,
  failure,
  machineOf,
  missing,
  named,
  newServer,
  node,
  offerOf,
  open,
  textOf,
} from './server.ts'
import { eventually } from '../../support/wait.ts'

type Keys = ReturnType<typeof nkeys.createUser>

/** Signed by `from`, about `about`. */
function token(from: Keys, about: Keys, nats: object, more: object = {}): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = {
    jti: randomBytes(16).toString('hex'),
    iat: Math.floor(Date.now() / 1000),
    iss: from.getPublicKey(),
    sub: about.getPublicKey(),
    name: 'test',
    ...more,
    nats: { version: 2, ...nats },
  }
  const text = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode(claims)}`
  return `${text}.${Buffer.from(from.sign(Buffer.from(text))).toString('base64url')}`
}

/** What a server must know, and how a user gets its file. */
function newOperator() {
  const [operator, account, system] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createAccount()]
  const most = Object.fromEntries(
    ['subs', 'conn', 'leaf', 'imports', 'exports', 'data', 'payload'].map((limit) => [limit, -1]),
  )
  const stores = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }
  const accountToken = (keys: Keys, limits: object) =>
    token(operator, keys, { type: 'account', limits: { ...limits, wildcards: true } })
  const settings = `
operator: "${token(operator, operator, { type: 'operator' })}"
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload: {
  ${account.getPublicKey()}: "${accountToken(account, { ...most, ...stores })}"
  ${system.getPublicKey()}: "${accountToken(system, most)}"
}`
  const credentials = (id: string, more: object = {}): string => {
    const user = nkeys.createUser()
    const { publish, subscribe } = natsPermissions('covey', id)
    const allowed = { pub: { allow: publish }, sub: { allow: subscribe } }
    const jwt = token(account, user, { type: 'user', subs: -1, data: -1, payload: -1, ...allowed }, more)
    const seed = Buffer.from(user.getSeed()).toString()
    return `-----BEGIN NATS USER JWT-----\n${jwt}\n------END NATS USER JWT------\n
-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`
  }
  return { settings, credentials }
}

async function fileOf(text: string): Promise<string> {
  const path = join(await tempProject({ 'my.creds': text }), 'my.creds')
  await chmod(path, 0o600)
  return path
}

describe.skipIf(missing !== undefined)(named('a file with credentials'), () => {
  test('lets a machine in, with the permissions that are written in it', async () => {
    const { settings, credentials } = newOperator()
    const { url } = await newServer([], settings)
    const [laptop, tower] = [node('laptop'), node('tower')]
    const trusted = [laptop.identity.id, tower.identity.id]
    const as = async (id: string) => ({
      server: { url, credentialsFile: await fileOf(credentials(id)) },
      trusted,
    })
    await open({ ...(await as(tower.identity.id)), node: tower, offer: offerOf(echo) })
    const transport = await open({ ...(await as(laptop.identity.id)), node: laptop })

    const events = await collect(machineOf(transport, 'tower').model('small'), 'let in')
    const foreign = await failure(
      open({ ...(await as(laptop.identity.id)), node: tower, offer: offerOf(echo) }),
    )

    expect(textOf(events)).toBe('let in')
    expect(foreign.code).toBe('credential')
    expect(foreign.message).toContain(`does not let this user`)
  })

  test('of another operator is refused, and so is what is no such file', async () => {
    const { url } = await newServer([], newOperator().settings)
    const tower = node('tower')
    const openWith = async (credentialsFile: string) =>
      failure(open({ server: { url, credentialsFile }, node: tower }))
    const strange = await fileOf(newOperator().credentials(tower.identity.id))
    const empty = await fileOf('nothing of the kind')

    const refusals = [await openWith(strange), await openWith(empty), await openWith(`${empty}.gone`)]

    expect(refusals).toEqual([
      {
        code: 'credential',
        message: expect.stringContaining('refused the credentials (Authorization Violation)'),
      },
      {
        code: 'config-invalid',
        message: `${empty} holds no NATS credentials; it must be a .creds file with a JWT and a seed.`,
      },
      {
        code: 'config-invalid',
        message: expect.stringContaining(`Cannot read the NATS credentials ${empty}.gone`),
      },
    ])
  })

  test('that runs out is read anew once it was renewed', async () => {
    const { settings, credentials } = newOperator()
    const { url } = await newServer([], settings)
    const [laptop, tower] = [node('laptop'), node('tower')]
    const trusted = [laptop.identity.id, tower.identity.id]
    const lasting = await fileOf(credentials(tower.identity.id))
    await open({ server: { url, credentialsFile: lasting }, trusted, node: tower, offer: offerOf(echo) })
    const file = await fileOf('')
    const logged = join(await tempProject(), 'log')
    const log = await createLogger({ level: 'info', file: logged, verbose: false })
    /** Long enough for a machine to get in, however busy this one is. */
    const openFor = async (seconds: number): Promise<NatsTransport> => {
      const exp = Math.floor(Date.now() / 1000) + seconds
      await writeFile(file, credentials(laptop.identity.id, { exp }))
      const opening = open({ server: { url, credentialsFile: file }, trusted, node: laptop, log })
      return seconds > 60 ? opening : opening.catch(() => openFor(3 * seconds))
    }
    const transport = await openFor(3)

    await writeFile(file, credentials(laptop.identity.id))
    await eventually(async () => expect(await readFile(logged, 'utf8')).toContain('is back'))

    expect(textOf(await collect(machineOf(transport, 'tower').model('small'), 'again'))).toBe('again')
  })
})
