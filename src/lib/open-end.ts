/** How a bounded run says in its answer that the task is not done: a line `NEXT: …` or `BLOCKED: …`. */

export const blockedIn = (text: string): string | undefined =>
  /^[ \t*_#>-]{0,8}BLOCKED[*_]{0,3}:[ \t*_]{0,8}(.+)$/m.exec(text)?.[1]?.trim()

export const nextIn = (text: string): string | undefined =>
  /^[ \t*_#>-]{0,8}(?:NEXT|Next)[*_]{0,3}:[\s*_]{0,8}([\s\S]+)$/m.exec(text)?.[1]?.trim()
