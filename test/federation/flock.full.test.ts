import { describeFlock } from './flock-cases.ts'

describeFlock('fast')
