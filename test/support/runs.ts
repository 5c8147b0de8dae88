/** How long a count is: a part of it at every commit, all of it in `npm run test:soak`. */
const isSoak = process.env['COVEY_TEST_SOAK'] === '1'

export const runs = (perCommit: number, all: number): number => (isSoak ? all : perCommit)
