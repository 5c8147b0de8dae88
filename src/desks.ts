/** What commands of a person look at and change without opening an app: nothing here answers or runs anything. */
import { createFiles } from './guard/files.ts'
import { findPatchFolder } from './guard/patch-folder.ts'
import type { PatchDesk } from './protocol/patch.ts'
import { createPatchDesk } from './tools/propose-patch-desk.ts'

export const openPatchDesk = (cwd: string): PatchDesk =>
  createPatchDesk({ patches: () => findPatchFolder(cwd), project: createFiles({ root: cwd }) })
