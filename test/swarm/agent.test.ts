import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFiles } from '../../src/guard/paths/files.ts'
import { calls, createScriptedModel, says } from '../../src/provider/scripted.ts'
import type { Tool } from '../../src/protocol/tool.ts'
import { createDryRun } from '../../src/swarm/dry-run.ts'
import { createSwarmModel } from '../../src/swarm/swarm.ts'
import { toVotingTools } from '../../src/swarm/voting-tools.ts'
import { builtinTools } from '../../src/tools/all.ts'
import { tempProject } from '../support/project.ts'
import { endOf, run } from '../support/run.ts'

test('a swarm can replace a model: the elected edit is made once, and the vote is reported', async () => {
  const root = await tempProject({ 'a.ts': 'const a = 1\n' })
  const tools: readonly Tool[] = builtinTools({ list: () => tools })
  const wrong = createScriptedModel([
    [calls('edit_file', { path: 'a.ts', old: 'const b', new: 'let b' })],
    [says('Nothing to do.')],
  ])
  const right = createScriptedModel([
    [calls('edit_file', { path: 'a.ts', old: 'a = 1', new: 'a = 2' })],
    [says('Nothing to do.')],
  ])
  const swarm = createSwarmModel({
    name: 'swarm',
    workers: [
      { name: 'wren', model: wrong },
      { name: 'kite', model: right },
    ],
    tools: () => toVotingTools(tools),
    dryRun: createDryRun({ tools: () => tools, files: createFiles({ root }) }),
    policy: { most: 2, quorum: 1 },
  })

  const events = await run(swarm, root)

  const told = events.filter((event) => event.type === 'vote').map(({ stage }) => stage)
  expect(told).toEqual(['start', 'candidate', 'end'])
  expect(endOf(events)).toMatchObject({ reason: 'answered', changed: ['a.ts'] })
  expect(await readFile(join(root, 'a.ts'), 'utf8')).toBe('const a = 2\n')
})
