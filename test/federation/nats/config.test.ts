import { describe, expect, test } from 'vitest'
import { natsSchema, toNatsSettings } from '../../../src/config/nats.ts'

const id = 'a'.repeat(64)

describe('the NATS server, as it is configured', () => {
  test('settings come in the words of the transport, with secrets from the environment', () => {
    const config = natsSchema.parse({
      url: 'tls://nats.example.org:4222',
      user: 'tower',
      password: '${NATS_PASSWORD}',
      ca: '/etc/ca.pem',
      trusted: [id],
      gone_s: 5,
    })

    expect(toNatsSettings(config, { NATS_PASSWORD: 'secret' })).toEqual({
      server: {
        url: 'tls://nats.example.org:4222',
        allowPlain: false,
        user: 'tower',
        password: 'secret',
        caFile: '/etc/ca.pem',
      },
      prefix: 'covey',
      trusted: [id],
      lanes: 4,
      intervals: {
        refreshMs: 10_000,
        goneMs: 5_000,
        ackWaitMs: 30_000,
        deadlineMs: 600_000,
        firstTokenMs: 300_000,
      },
    })
  })

  test('what is missing is named', () => {
    expect(() => toNatsSettings(natsSchema.parse({}), {})).toThrow('federation.nats.url is not set')
    expect(() => toNatsSettings(natsSchema.parse({ url: 'nats://a', password: '${GONE}' }), {})).toThrow(
      'federation.nats.password needs GONE in the environment',
    )
  })

  test.each([{ prefix: 'a.b' }, { trusted: ['laptop'] }, { urll: 'x' }])('%j is refused', (value) => {
    expect(natsSchema.safeParse(value).success).toBe(false)
  })
})
