/** Which build of llama.cpp computes here: the best one that loads. Those that do not are named with the reason. */
import { addedBuilds, type Build, type BuildName, packagedBuild } from './find.ts'
import { tryBuild } from './trial.ts'

type SkippedBuild = { readonly name: BuildName; readonly why: string }

export type BuildChoice = {
  /** Absent where not even the package's own is installed. */
  readonly build?: Build
  /** The cards it computes on; none for the processor. */
  readonly devices: readonly string[]
  readonly skipped: readonly SkippedBuild[]
}

/** `folder` is where added builds lie. Without any the answer is there at once. */
export async function chooseBuild(
  folder: string | undefined,
  find: typeof addedBuilds = addedBuilds,
): Promise<BuildChoice> {
  const skipped: SkippedBuild[] = []
  for (const build of folder === undefined ? [] : find(folder)) {
    const report = await tryBuild(build)
    if (report.ok) return { build, devices: report.devices, skipped }
    skipped.push({ name: build.name, why: report.why })
  }
  const build = packagedBuild()
  return { ...(build && { build }), devices: [], skipped }
}

/** One line for the person who waits for an answer. */
export const describeSkipped = ({ build, skipped }: BuildChoice): readonly string[] =>
  skipped.map(
    ({ name, why }) =>
      `the ${name} build of the engine is not used: ${why}. Computing on ${build?.name ?? 'nothing'}; \`covey engine\` shows more.`,
  )
