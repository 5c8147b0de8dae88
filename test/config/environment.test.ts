import { describe, expect, test } from 'vitest'
import { readEnvironment, readFlags } from '../../src/config/environment.ts'

const valuesOf = (env: NodeJS.ProcessEnv, lower = {}) => {
  const { layers, problems } = readEnvironment(env, lower)
  return { values: layers[0]?.values, problems }
}

describe('the environment', () => {
  test('is read by the types of the schema', () => {
    const env = {
      COVEY_ENGINE__MAX_TURNS: '12',
      COVEY_ENGINE__TEMPERATURE: '0.25',
      COVEY_ENGINE__EVIDENCE: 'yes',
      COVEY_PERMISSION__MODE: 'auto',
      COVEY_CHECKS: '{"*.ts": "tsc"}',
      COVEY_MODEL: '7',
      COVEY_OFFLINE: '1',
      COVEY_LOG__LEVEL: '',
      PATH: '/bin',
    }

    expect(valuesOf(env)).toEqual({
      values: {
        engine: { max_turns: 12, temperature: 0.25, evidence: true },
        permission: { mode: 'auto' },
        checks: { '*.ts': 'tsc' },
        model: '7',
        offline: true,
      },
      problems: [],
    })
  })

  test('finds an arm that exists whatever its capitals and dashes, and makes one that does not', () => {
    const env = {
      COVEY_ARMS__QWEN_7B__WINDOW: '8192',
      COVEY_ARMS__NEW_ONE__BASE_URL: 'http://127.0.0.1:1/v1',
      COVEY_ARMS__NEW_ONE__EMISSION__NO_SYSTEM: 'true',
      COVEY_ARMS__NEW_ONE__HEADERS__X_TEAM: 'a',
    }
    const lower = { arms: { 'Qwen-7B': { window: 1 } } }

    expect(valuesOf(env, lower)).toEqual({
      values: {
        arms: {
          'Qwen-7B': { window: 8192 },
          new_one: {
            base_url: 'http://127.0.0.1:1/v1',
            emission: { no_system: true },
            headers: { x_team: 'a' },
          },
        },
      },
      problems: [],
    })
  })

  test('a single key wins over the table that holds it', () => {
    const env = { COVEY_EXEC__TIMEOUT_S: '9', COVEY_EXEC: '{"timeout_s": 1, "long_timeout_s": 2}' }

    const { layers } = readEnvironment(env, {})

    expect(layers[0]?.values).toEqual({ exec: { timeout_s: 9, long_timeout_s: 2 } })
    expect(layers[0]?.originOf(['exec', 'timeout_s'])).toEqual({
      layer: 'environment',
      variable: 'COVEY_EXEC__TIMEOUT_S',
    })
    expect(layers[0]?.originOf(['exec', 'long_timeout_s'])).toEqual({
      layer: 'environment',
      variable: 'COVEY_EXEC',
    })
  })

  test.each([
    ['COVEY_ENGINE__MAX_TURNS', 'soon', 'engine.max_turns must be a whole number of at least 1, not "soon"'],
    ['COVEY_ENGINE__MAX_TURNS', '2.5', 'engine.max_turns must be a whole number of at least 1, not 2.5'],
    ['COVEY_OFFLINE', 'maybe', 'offline must be true or false, not "maybe"'],
    ['COVEY_CHECKS', '{broken', 'checks must be a table, not a string'],
    ['COVEY_ARMS', '{"a":{"api_key":"sk-1"}', 'arms must be a table, not a string'],
    ['COVEY_SWARM__ROUNDS', '3', 'swarm.rounds must be one of 1, 2, not 3'],
    ['COVEY_EXEC', '{"timeout": 1}', 'exec.timeout is not a key; did you mean exec.timeout_s?'],
  ])('%s=%s is a mistake that names the variable', (name, text, message) => {
    expect(valuesOf({ [name]: text }).problems).toEqual([`${name}: ${message}`])
  })

  test('a wrong secret is not repeated', () => {
    const { problems } = valuesOf({ COVEY_ARMS__X__HEADERS: '{"Authorization": 12345}' })

    expect(problems).toEqual([
      'COVEY_ARMS__X__HEADERS: arms.x.headers.Authorization must be text in quotes, not a number',
    ])
  })

  test.each([
    ['COVEY_ENGIN__MAX_TURNS', 'COVEY_ENGINE__MAX_TURNS'],
    ['COVEY_ENGINE_MAX_TURNS', 'COVEY_ENGINE__MAX_TURNS'],
    ['COVEY_ARMS__LOCAL__WINDW', 'COVEY_ARMS__LOCAL__WINDOW'],
    ['COVEY_MODLE', 'COVEY_MODEL'],
    ['COVEY_PROFIL', 'COVEY_PROFILE'],
    ['COVEY_BASEURL', 'COVEY_BASE_URL'],
  ])('%s is taken for a slip of %s', (name, guess) => {
    expect(valuesOf({ [name]: 'x' }).problems).toEqual([`${name}: no such setting; did you mean ${guess}?`])
  })

  test('a name with two levels that resembles nothing is a mistake too', () => {
    expect(valuesOf({ COVEY_WEATHER__FORECAST_DAYS: '3' }).problems).toEqual([
      'COVEY_WEATHER__FORECAST_DAYS: no such setting; `covey config explain` lists them.',
    ])
  })

  test('reserved names and single words of other programs are left alone', () => {
    const env = {
      COVEY_BASE_URL: 'x',
      COVEY_API_KEY: 'x',
      COVEY_PROFILE: 'x',
      COVEY_BIN: 'x',
      COVEY_HOME: 'x',
      COVEY_INSTALL_DIRECTORY: 'x',
    }

    expect(valuesOf(env)).toEqual({ values: {}, problems: [] })
  })
})

describe('flags', () => {
  test('are read as texts or as values, and what was not given is left out', () => {
    const { layers, problems } = readFlags({
      'engine.max_turns': '5',
      'exec.timeout_s': 9,
      offline: true,
      model: undefined,
    })

    expect(layers[0]?.values).toEqual({ engine: { max_turns: 5 }, exec: { timeout_s: 9 }, offline: true })
    expect(problems).toEqual([])
  })

  test('a wrong one is named by its key', () => {
    expect(readFlags({ 'engine.max_turns': 'x', 'engine.turns': 1 }).problems).toEqual([
      'command line: engine.max_turns must be a whole number of at least 1, not "x"',
      'command line: engine.turns is not a key; known here: max_turns, tools, temperature, evidence, max_messages',
    ])
  })
})
