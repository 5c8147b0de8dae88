/** End to end: the server, a real arm, and behind it a scripted OpenAI-compatible server. */
import { onTestFinished } from 'vitest'
import { openArm } from '../../../src/app/arms.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import type { Model } from '../../../src/protocol/model.ts'
import { type ModelServer, type ScriptedServerReply, startModelServer } from '../../support/model-server.ts'
import { tempProject } from '../../support/project.ts'
import { type ApiHost, startApi } from './host.ts'

export type ArmHost = { readonly host: ApiHost; readonly upstream: ModelServer }

/** The model is called `small` and has a window of 8,192 tokens. */
export async function startArmApi(
  script: readonly ScriptedServerReply[],
  options: { readonly repeatLast?: boolean } = {},
): Promise<ArmHost> {
  const upstream = await startModelServer(script, options)
  onTestFinished(() => upstream.close())
  const cwd = await tempProject({})
  const settings = {
    id: 'small',
    kind: 'openai-compatible',
    model: 'test-model',
    baseUrl: upstream.url,
    headers: {},
    local: true,
    known: { window: 8192 },
  } as const
  const files = createFiles({ root: cwd })
  const parts = { cwd, files, promptsFolder: cwd, probe: false, sleep: async () => {} }
  const { arm, close } = await openArm({ kind: 'arm', settings, why: 'test' }, parts)
  onTestFinished(close)
  const lease = arm.lease('test')
  const model: Model = { name: 'small', stream: (request, signal) => lease.model.stream(request, signal) }
  return { host: await startApi(model, { capabilities: lease.arm.capabilities }), upstream }
}
