/** Which forms of an answer code can render for a result. Pure. */
import type { Form } from '../weights/format.ts'
import { CHANGE_LINE } from '../weights/tools.ts'

const LISTING = new Set(['list_files', 'find_files', 'search_text', 'search_code', 'list_results'])
const WRITING = new Set([
  'write_file',
  'edit_file',
  CHANGE_LINE,
  'make_folder',
  'copy_file',
  'move_file',
  'delete_file',
  'apply_patch',
  'propose_patch',
  'remember',
  'job_stop',
  'promote_skill',
])

/** The forms code can render for a result of this tool. */
export function formsAfter(tool: string, ok: boolean): readonly Form[] {
  if (tool === 'run_command') return ok ? ['text', 'exit', 'done'] : ['exit', 'error']
  if (!ok) return ['error']
  if (LISTING.has(tool)) return ['list', 'text', 'count', 'exists']
  return WRITING.has(tool) ? ['done'] : ['list', 'text', 'count', 'exists', 'done']
}
