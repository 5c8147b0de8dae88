// A process that takes the lock of a folder and keeps it until it is killed.
import { acquireLock } from '../../src/lib/lock.ts'

await acquireLock(process.argv[2] ?? '', (pid) => `held by ${pid}`)
process.stdout.write('held\n')
setInterval(() => {}, 1000)
