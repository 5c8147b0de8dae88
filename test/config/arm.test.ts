import { expect, test } from 'vitest'
import { missingVariables, requireArm } from '../../src/config/arm.ts'
import { Config } from '../../src/config/schema.ts'

const { arms } = Config.parse({
  arms: {
    local: { base_url: 'http://127.0.0.1:8080/v1' },
    cloud: {
      kind: 'openai',
      enabled: true,
      strengths: [],
      model: 'gpt',
      api_key: '${CLOUD_KEY}',
      headers: { 'X-Team': 'a ${TEAM} b', 'X-Plain': '$5 {x}' },
    },
  },
})

test("an arm is named after its id where the server's name for it is not set", () => {
  expect(requireArm(arms, 'local', {})).toEqual({
    id: 'local',
    kind: 'openai-compatible',
    model: 'local',
    isModelOpen: true,
    keyHint:
      'The server wants a key and none is set. Set COVEY_ARMS__LOCAL__API_KEY=KEY, or `api_key` under [arms.local] in config.toml.',
    base_url: 'http://127.0.0.1:8080/v1',
    headers: {},
    enabled: true,
    strengths: [],
  })
})

test('variables in secrets are filled in when the arm is used', () => {
  const arm = requireArm(arms, 'cloud', { CLOUD_KEY: 'k-$1', TEAM: 'red' })

  expect(arm).toEqual({
    id: 'cloud',
    kind: 'openai',
    enabled: true,
    strengths: [],
    model: 'gpt',
    keyHint:
      'The server refused the key in CLOUD_KEY, which is `api_key` under [arms.cloud] in config.toml. Correct it: export CLOUD_KEY=KEY',
    api_key: 'k-$1',
    headers: { 'X-Team': 'a red b', 'X-Plain': '$5 {x}' },
  })
})

test('a missing variable stops only the arm that needs it, and is named', () => {
  expect(() => requireArm(arms, 'cloud', { TEAM: '' })).toThrow(
    expect.objectContaining({
      code: 'config-invalid',
      message:
        'arms.cloud refers to CLOUD_KEY and TEAM, not set in the environment. Set it: export CLOUD_KEY=KEY',
    }),
  )
  expect(requireArm(arms, 'local', {}).id).toBe('local')
  expect(missingVariables(arms['cloud']!, { TEAM: 'red' })).toEqual(['CLOUD_KEY'])
})

test.each([
  ['locl', arms, 'No arm is called "locl"; did you mean "local"?'],
  ['toString', arms, 'No arm is called "toString"; configured are local, cloud.'],
  ['a b', {}, 'No arm is called "a b" and none is configured; add [arms."a b"] to config.toml.'],
])('the unknown arm %s is a mistake with a next step', (id, known, message) => {
  expect(() => requireArm(known, id, {})).toThrow(
    expect.objectContaining({ code: 'config-invalid', message }),
  )
})
