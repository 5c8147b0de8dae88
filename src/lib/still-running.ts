/** The line that a command's result ends with when the command goes on as a job: it has no exit code yet. */
export const stillRunning = (seconds: number, job: string): string =>
  `[still running after ${seconds} s as ${job}; job_output shows more, job_stop ends it]`

export const isStillRunning = (text: string): boolean => /^\[still running after [\d.]+ s as /m.test(text)
