/** Candidates as workers give them, and two tools to vote about. */
import type { Candidate, VotingTool } from '../../src/protocol/vote.ts'

export const tools: readonly VotingTool[] = [
  {
    name: 'read_file',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, from: { type: 'integer', default: 1 } },
      required: ['path'],
    },
    paths: ['path'],
    effect: () => 'read',
  },
  {
    name: 'edit_file',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, old: { type: 'string' }, new: { type: 'string' } },
      required: ['path', 'old', 'new'],
    },
    effect: () => 'write',
  },
  {
    name: 'run_command',
    parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    effect: () => 'destroy',
  },
]

export const call = (name: string, input: object | string, id = 'call-1') => ({
  id,
  name,
  input: typeof input === 'string' ? input : JSON.stringify(input),
})

export const read = (worker: string, path: string): Candidate => ({
  worker,
  text: '',
  calls: [call('read_file', { path })],
})

export const edit = (worker: string, replacement: string): Candidate => ({
  worker,
  text: '',
  calls: [call('edit_file', { path: 'a.ts', old: 'x', new: replacement })],
})

export const run = (worker: string, command: string): Candidate => ({
  worker,
  text: '',
  calls: [call('run_command', { command })],
})

export const said = (worker: string, text: string): Candidate => ({ worker, text, calls: [] })
