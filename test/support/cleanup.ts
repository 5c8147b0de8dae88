/**
 * What ends with a test or with its file. A hook in a helper would be there for the first file of a worker only: without
 * isolation a helper is loaded once, and what later files started would run on beside all the others.
 */
type Clean = () => unknown

const ofTest: Clean[] = []
const ofFile: Clean[] = []

export const atEndOfTest = (clean: Clean): void => void ofTest.push(clean)
export const atEndOfFile = (clean: Clean): void => void ofFile.push(clean)

export const cleanTest = (): Promise<void> => cleanAll(ofTest)
export const cleanFile = (): Promise<void> => cleanAll(ofFile)

/** The last one first: a process before the folder it works in. One that fails keeps no other from its turn. */
async function cleanAll(list: Clean[]): Promise<void> {
  const failures: unknown[] = []
  for (const clean of list.splice(0).reverse()) {
    await Promise.resolve()
      .then(clean)
      .catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}
