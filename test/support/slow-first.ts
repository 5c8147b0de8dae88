/**
 * Which test files begin first. Without figures of an earlier run, as in a fresh clone, Vitest begins with the largest
 * files: a short one that takes long would begin last, and everything would end by waiting for it.
 */
import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node'

/** `names` are paths below `test/` without `.test.ts`. */
export function slowFirst(names: readonly string[]): TestSequencerConstructor {
  const isSlow = ({ moduleId }: TestSpecification): boolean =>
    names.some((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const sorted = await super.sort(files)
      return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
    }
  }
}
