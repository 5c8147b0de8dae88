import { z } from 'zod'
import { defineTool } from '../protocol/tool.ts'

export const jobStopTool = defineTool({
  name: 'job_stop',
  description: 'Stop a background job',
  category: 'run',
  input: z.object({ id: z.string() }),

  async run({ id }, { exec }) {
    const { command } = await exec.stop(id)
    const { output } = await exec.poll(id)
    return [output.trimEnd(), `Stopped ${id}: ${command}`].filter(Boolean).join('\n')
  },
})
