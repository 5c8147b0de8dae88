/** The built-in tools, in the order they are shown. `app/open.ts` joins what skills and servers bring. */
import type { Tool } from '../protocol/tool.ts'
import { createApplyPatch } from './apply-patch.ts'
import { askUserTool } from './ask-user.ts'
import { callToolTool } from './call-tool.ts'
import { createChecks } from './checks.ts'
import { copyFileTool } from './copy-file.ts'
import { dataViewTool } from './data-view.ts'
import { deleteFileTool } from './delete-file.ts'
import { createEditFile } from './edit-file.ts'
import { fetchUrlTool } from './fetch-url.ts'
import { findFilesTool } from './find-files.ts'
import { createJavascript } from './javascript.ts'
import { jobOutputTool } from './job-output.ts'
import { jobStopTool } from './job-stop.ts'
import { listFilesTool } from './list-files.ts'
import { listResultsTool } from './list-results.ts'
import { makeFolderTool } from './make-folder.ts'
import { createMoreTools } from './more-tools.ts'
import { moveFileTool } from './move-file.ts'
import { createProposePatch, type ProposeParts } from './propose-patch.ts'
import { createPython } from './python.ts'
import { createReadFile } from './read-file.ts'
import { readResultTool } from './read-result.ts'
import { createRunCommand } from './run-command.ts'
import { searchTextTool } from './search-text.ts'
import { createSelectCategory } from './select-category.ts'
import { systemInfoTool } from './system-info.ts'
import { type CommandLimits, commandLimits } from './time-limit.ts'
import { createWriteFile, type WriteParts } from './write-file.ts'

export type BuiltinParts = {
  /** Every tool of the session, these included. */
  readonly list: () => readonly Tool[]
  /** Glob of file names to the command that checks them. */
  readonly checks?: Readonly<Record<string, string>>
  readonly limits?: Partial<CommandLimits>
  /** Files that were read before; absent = none. */
  readonly seen?: Set<string>
  /** Where proposed patches are kept; absent = none can be. */
  readonly patches?: ProposeParts['patches']
}

/** Made once per session: some of them remember what the session did. */
export function builtinTools(parts: BuiltinParts): readonly Tool[] {
  const { list, checks = {}, limits = {}, patches, seen = new Set() } = parts
  const write: WriteParts = { checks: createChecks(checks), created: new Set(), seen }
  return [
    listFilesTool,
    createReadFile(write),
    searchTextTool,
    createEditFile(write),
    createWriteFile(write),
    createRunCommand({ ...commandLimits, ...limits }),
    findFilesTool,
    createApplyPatch(write),
    makeFolderTool,
    copyFileTool,
    moveFileTool,
    deleteFileTool,
    jobOutputTool,
    jobStopTool,
    readResultTool,
    listResultsTool,
    askUserTool,
    systemInfoTool,
    fetchUrlTool,
    createPython(),
    createJavascript(),
    dataViewTool,
    ...(patches ? [createProposePatch({ patches })] : []),
    createMoreTools(list),
    callToolTool,
    createSelectCategory(list),
  ]
}
