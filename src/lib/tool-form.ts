/** A tool as an arm is shown it: arms write edits in different forms, and one tool may have a face for each. */
import type { EditForm } from '../protocol/edit-form.ts'
import type { Tool } from '../protocol/tool.ts'

const made = new WeakMap<Tool, Map<EditForm, Tool>>()

/** The same object each time: schemas are kept by it. */
export function inForm(tool: Tool, form: EditForm | undefined): Tool {
  const face = form && tool.forms?.[form]
  if (form === undefined || face === undefined || face === 'hidden') return tool
  const known = made.get(tool) ?? new Map<EditForm, Tool>()
  made.set(tool, known)
  const shown = known.get(form) ?? { ...tool, ...face }
  known.set(form, shown)
  return shown
}

export const isShownIn = (tool: Tool, form: EditForm | undefined): boolean =>
  form === undefined || tool.forms?.[form] !== 'hidden'

/** All faces, the one of `form` first: a call may be written in any of them. */
export function facesOf(tool: Tool, form: EditForm | undefined): readonly Tool[] {
  if (!tool.forms) return [tool]
  const others = Object.keys(tool.forms) as EditForm[]
  return [...new Set([inForm(tool, form), tool, ...others.map((other) => inForm(tool, other))])]
}
