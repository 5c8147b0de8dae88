import { expect, test } from 'vitest'
import { isLocalAddress } from '../../src/config/address.ts'
import { toServers } from '../../src/config/router.ts'
import { Config } from '../../src/config/schema.ts'

test.each([
  'http://localhost:8080/v1',
  'http://0.0.0.0:8080/v1',
  'http://127.1:8080/v1',
  'http://192.168.1.20:11434/v1',
  'http://172.31.0.1/v1',
  'http://[::1]:8080/v1',
  'http://[fd00::1]/v1',
  'http://box.local/v1',
])('%s is on this machine or its network', (url) => {
  expect(isLocalAddress(url)).toBe(true)
})

test.each([
  undefined,
  'no address',
  'https://api.example.com/v1',
  'http://127.0.0.1.example.com/v1',
  'http://172.32.0.1/v1',
  'http://[2001:db8::1]/v1',
  'http://me@example.com/v1',
])('%s is beyond it', (url) => {
  expect(isLocalAddress(url)).toBe(false)
})

test.each([
  [false, true, ['near']],
  [true, false, ['near']],
  [true, true, ['near', 'far']],
])('with cloud %s and leaving the network %s these servers are looked at: %s', (cloud, mayLeave, names) => {
  const servers = { near: 'http://192.168.1.20:8000/v1', far: 'https://api.example.com/v1' }
  const { router } = Config.parse({ router: { cloud, servers } })

  expect(toServers(router, mayLeave).map(({ name }) => name)).toEqual(names)
})
