import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { preflightPath, type Project } from '../../src/engine/preflight.ts'

const made: string[] = []

afterEach(async () => {
  await Promise.all(made.splice(0).map((folder) => rm(folder, { recursive: true, force: true })))
})

async function project(...paths: string[]): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'preflight-'))
  made.push(folder)
  const root = join(folder, 'shop')
  await mkdir(root)
  for (const path of paths) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), 'x')
  }
  return {
    root,
    async list(path) {
      const entries = await readdir(join(root, path), { withFileTypes: true })
      return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).toSorted()
    },
    async info(path) {
      const found = await stat(join(root, path)).catch(() => undefined)
      return found && { kind: found.isFile() ? 'file' : 'folder', bytes: found.size, mode: found.mode }
    },
  }
}

describe('leaves alone', () => {
  test('a path that exists', async () => {
    expect(await preflightPath('src/a.ts', await project('src/a.ts'))).toEqual({ path: 'src/a.ts' })
  })

  test('a path that is only written with a dot or a slash too many', async () => {
    expect(await preflightPath('./src//a.ts', await project('src/a.ts'))).toEqual({ path: 'src/a.ts' })
    expect(await preflightPath('src/', await project('src/a.ts'))).toEqual({ path: 'src' })
    expect(await preflightPath('', await project('src/a.ts'))).toEqual({ path: '.' })
  })

  test.each(['../secret.txt', '/etc/passwd', 'src/../../x', '~/../../etc/passwd'])(
    'a path outside the project, for the guard to refuse: %s',
    async (path) => {
      expect(await preflightPath(path, await project('src/a.ts', 'secret.txt', 'passwd'))).toEqual({ path })
    },
  )

  test('a path that cannot be looked at', async () => {
    const files: Project = {
      root: '/shop',
      info: () => Promise.reject(new Error('denied')),
      list: () => Promise.reject(new Error('denied')),
    }

    expect(await preflightPath('.env', files)).toEqual({ path: '.env' })
  })
})

describe('corrects', () => {
  const cases: readonly (readonly [string, string, string, readonly string[]])[] = [
    ['back-slashes', 'src\\lib\\a.ts', 'src/lib/a.ts', ['src/lib/a.ts']],
    ['quotes', '"src/a.ts"', 'src/a.ts', ['src/a.ts']],
    ['backticks', '`src/a.ts`', 'src/a.ts', ['src/a.ts']],
    ['a doubled folder', 'src/src/a.ts', 'src/a.ts', ['src/a.ts']],
    [
      'two doubled folders',
      'packages/core/packages/core/a.ts',
      'packages/core/a.ts',
      ['packages/core/a.ts', 'b/a.ts'],
    ],
    ['the name of the project in front', 'shop/src/a.ts', 'src/a.ts', ['src/a.ts', 'lib/a.ts']],
    ['another case', 'Sum.js', 'sum.js', ['sum.js', 'src/sum.js']],
    ['another case of a folder', 'Config/Server.yaml', 'config/server.yaml', ['config/server.yaml']],
    [
      'a slip of the finger',
      'config/sevrer.yaml',
      'config/server.yaml',
      ['config/server.yaml', 'config/client.yaml'],
    ],
    [
      'a slip in a folder',
      'confg/server.yaml',
      'config/server.yaml',
      ['config/server.yaml', 'old/server.yaml'],
    ],
    ['another extension', 'src/app.js', 'src/app.ts', ['src/app.ts', 'src/main.ts']],
    [
      'a file that stands elsewhere',
      'settle.js',
      'src/billing/settle.js',
      ['src/billing/settle.js', 'src/a.js'],
    ],
    ['a folder that stands elsewhere', 'components', 'src/components', ['src/components/a.tsx']],
  ]

  for (const [what, path, expected, paths] of cases) {
    test(what, async () => {
      expect(await preflightPath(path, await project(...paths))).toEqual({
        path: expected,
        repaired: `[path corrected: ${path} -> ${expected}]`,
      })
    })
  }

  test('an absolute path and a file URL under the root', async () => {
    const files = await project('src/a b.ts')

    const absolute = await preflightPath(join(files.root, 'src/a b.ts'), files)
    const url = await preflightPath(`file://${files.root}/src/a%20b.ts`, files)

    expect([absolute, url]).toMatchObject([{ path: 'src/a b.ts' }, { path: 'src/a b.ts' }])
  })

  test('a path that starts in the folder commands run in', async () => {
    const files = await project('packages/core/a.ts', 'a.ts/keep')

    expect(await preflightPath('core/a.ts', files, { cwd: join(files.root, 'packages') })).toMatchObject({
      path: 'packages/core/a.ts',
    })
  })
})

describe('lists what exists instead of guessing', () => {
  test('between two files of that name', async () => {
    expect(await preflightPath('index.ts', await project('a/index.ts', 'b/index.ts', 'c.ts'))).toEqual({
      missing:
        'index.ts does not exist. Nearest: a/index.ts, b/index.ts, c.ts, a, b. Use one of these, or list_files to see more.',
    })
  })

  test.each([
    ['short names', 'a.ts', ['b.ts']],
    ['numbers', 'test/case1.ts', ['test/case2.ts']],
    ['two cases', 'readme.md', ['README.md', 'Readme.md']],
    ['nothing alike', 'server.py', ['src/app.ts']],
  ])('for %s', async (_, path, paths) => {
    const result = await preflightPath(path, await project(...paths))

    expect('missing' in result && result.missing).toContain(paths[0])
  })

  test('and says so when there is nothing', async () => {
    expect(await preflightPath('a.ts', await project())).toEqual({
      missing: 'a.ts does not exist, and the project is empty.',
    })
  })

  test('without looking into installed packages', async () => {
    const result = await preflightPath(
      'settle.js',
      await project('node_modules/x/settle.js', '.git/settle.js', 'app.ts'),
    )

    expect(result).toMatchObject({ missing: expect.not.stringContaining('node_modules') as string })
  })

  test('when the project is too large to know every file', async () => {
    const files = await project('a/settle.js')
    const names = Array.from({ length: 6000 }, (_, index) => `${index}.txt`)
    const large: Project = {
      ...files,
      list: async (path) => (path === 'b' ? names : path === '.' ? ['a/', 'b/'] : files.list(path)),
    }

    expect(await preflightPath('settle.js', large)).toMatchObject({
      missing: expect.stringContaining('a/settle.js') as string,
    })
  })
})

describe('for a call that may create', () => {
  const creates = { creates: true }

  test('a new path is fine, however much it is like another', async () => {
    const files = await project('src/server.ts')

    expect(await preflightPath('src/serve.ts', files, creates)).toEqual({ path: 'src/serve.ts' })
    expect(await preflightPath('server.ts', files, creates)).toEqual({ path: 'server.ts' })
    expect(await preflightPath('new/deep/a.ts', files, creates)).toEqual({ path: 'new/deep/a.ts' })
  })

  test('folders that exist in another case are used', async () => {
    expect(await preflightPath('Src/Lib/new.ts', await project('src/lib/a.ts'), creates)).toEqual({
      path: 'src/lib/new.ts',
      repaired: '[path corrected: Src/Lib/new.ts -> src/lib/new.ts]',
    })
  })

  test('the name of the project in front is dropped', async () => {
    expect(await preflightPath('shop/src/new.ts', await project('src/a.ts'), creates)).toMatchObject({
      path: 'src/new.ts',
    })
  })

  test('quotes and back-slashes are dropped', async () => {
    expect(await preflightPath("'src\\new.ts'", await project('src/a.ts'), creates)).toMatchObject({
      path: 'src/new.ts',
    })
  })

  test('a path outside the project is left alone', async () => {
    expect(await preflightPath('/tmp/new.ts', await project('src/a.ts'), creates)).toEqual({
      path: '/tmp/new.ts',
    })
  })
})

test('what is too long to be a path is reported as such, without a search for it', async () => {
  const placed = await preflightPath(`const a = 1\n`.repeat(1000), await project('src/a.ts'))

  expect(placed).toEqual({
    missing: expect.stringMatching(/^A path of 12000 characters cannot exist; it begins with "const a/),
  })
  expect('missing' in placed && placed.missing.length).toBeLessThan(300)
})

describe('a path of another machine', () => {
  test.each([
    ['/home/devuser/app/src/lib/deep.ts', 'src/lib/deep.ts'],
    ['/Users/sam/projects/app/src/lib/deep.ts', 'src/lib/deep.ts'],
    ['/workspace/src/lib/deep.ts', 'src/lib/deep.ts'],
    ['C:\\Users\\sam\\app\\src\\lib\\deep.ts', 'src/lib/deep.ts'],
  ])('%s is %s here', async (path, expected) => {
    const here = await project('src/lib/deep.ts', 'package.json')

    expect(await preflightPath(path, here)).toEqual({
      path: expected,
      repaired: `[path corrected: ${path} -> ${expected}]`,
    })
  })

  test.each([
    ['/workspace/app/src/lib/new.ts', 'src/lib/new.ts'],
    ['/home/devuser/app/notes.md', 'notes.md'],
  ])('%s is made as %s', async (path, expected) => {
    const here = await project('src/lib/deep.ts')

    expect(await preflightPath(path, here, { creates: true })).toMatchObject({ path: expected })
  })

  test.each(['/etc/passwd', '/usr/lib/os-release', '/home/devuser/app/gone.ts', '/root/.ssh/id_rsa'])(
    '%s is left to the guard',
    async (path) => {
      const here = await project('src/lib/deep.ts', 'passwd')

      expect(await preflightPath(path, here)).toEqual({ path })
    },
  )
})
