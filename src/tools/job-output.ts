import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { defineTool } from '../protocol/tool.ts'
import { jobResult } from './run-command.ts'

/** A silent job is waited for: a model that asks again at once would only spend its turns. */
const PATIENCE_MS = 30_000
const STEP_MS = 250

export const jobOutputTool = defineTool({
  name: 'job_output',
  description: 'New output of a background job',
  category: 'run',
  input: z.object({ id: z.string() }),
  polling: true,

  async run({ id }, { exec, signal }) {
    let look = await exec.poll(id)
    const deadline = performance.now() + PATIENCE_MS
    while (isSilent(look) && performance.now() < deadline && !signal.aborted) {
      await pause(STEP_MS, undefined, { signal }).catch(() => undefined)
      look = await exec.poll(id)
    }
    return jobResult(look)
  },
})

const isSilent = ({
  job,
  output,
}: {
  readonly job: { readonly state: string }
  readonly output: string
}): boolean => job.state === 'running' && output === ''
