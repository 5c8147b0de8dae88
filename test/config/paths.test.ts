import { expect, test } from 'vitest'
import { appPaths } from '../../src/config/paths.ts'

const unknown = () => {
  throw new Error('no entry in the password file')
}

test('files lie in the folders of the XDG standard below the home folder', () => {
  expect(appPaths({ HOME: '/home/u' }, 'linux')).toEqual({
    home: '/home/u',
    configFolder: '/home/u/.config/covey',
    configFile: '/home/u/.config/covey/config.toml',
    profilesFolder: '/home/u/.config/covey/profiles',
    promptsFolder: '/home/u/.config/covey/prompts',
    dataFolder: '/home/u/.local/share/covey',
    sessionsFolder: '/home/u/.local/share/covey/sessions',
    modelsFolder: '/home/u/.local/share/covey/models',
    enginesFolder: '/home/u/.local/share/covey/engines',
  })
})

test('XDG variables move them, unless they are relative or empty', () => {
  const moved = appPaths({ HOME: '/h', XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' }, 'darwin')
  const ignored = appPaths({ HOME: '/h', XDG_CONFIG_HOME: 'c', XDG_DATA_HOME: '' }, 'linux')

  expect([moved.configFile, moved.sessionsFolder]).toEqual(['/c/covey/config.toml', '/d/covey/sessions'])
  expect([ignored.configFile, ignored.dataFolder]).toEqual([
    '/h/.config/covey/config.toml',
    '/h/.local/share/covey',
  ])
})

test('Windows has its own folders', () => {
  const env = {
    USERPROFILE: 'C:\\Users\\u',
    APPDATA: 'C:\\Users\\u\\Roaming',
    LOCALAPPDATA: 'C:\\Users\\u\\Local',
  }

  const { configFile, modelsFolder } = appPaths(env, 'win32')

  expect([configFile, modelsFolder]).toEqual([
    'C:\\Users\\u\\Roaming\\covey\\config.toml',
    'C:\\Users\\u\\Local\\covey\\models',
  ])
})

test('without HOME the system is asked, and when it does not know nothing throws', () => {
  expect(appPaths({}, 'linux', () => '/home/from-system').configFolder).toBe(
    '/home/from-system/.config/covey',
  )
  expect(appPaths({ HOME: '' }, 'linux', unknown).configFolder).toBe('/.config/covey')
  expect(appPaths({ HOME: 'relative' }, 'linux', () => '').dataFolder).toBe('/.local/share/covey')
})
