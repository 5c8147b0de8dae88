/** A request that was dictated, as it would have been typed: `notes slash log dot txt` is `notes/log.txt`. Pure. */

/** Words for signs inside a name, only between two words that a name may be made of. */
const JOINED = /(?<=[\p{L}\p{N}_]) (forward slash|slash|dot|underscore|hyphen|dash) (?=[\p{L}\p{N}_])/giu
const SIGNS: Readonly<Record<string, string>> = {
  'forward slash': '/',
  slash: '/',
  dot: '.',
  underscore: '_',
  hyphen: '-',
  dash: '-',
}
/** "Into underscore posts": a name begins with it. */
const BEGINS =
  /(?<![\p{L}\p{N}_])(in|into|to|from|as|of|on|the|my|our|is|and|under|at|for|with|open|show|called|named) underscore (?=[\p{L}\p{N}])/giu
const ENDS = / (full stop|question mark|exclamation mark|comma|colon|semicolon)(?=\s|$)/gi
const END_SIGNS: Readonly<Record<string, string>> = {
  'full stop': '.',
  'question mark': '?',
  'exclamation mark': '!',
  comma: ',',
  colon: ':',
  semicolon: ';',
}

/** Without one of these nothing was dictated: "the dot com boom" and "a colon in the log" stay as they are. */
const DICTATED =
  /[\p{L}\p{N}_] (?:forward slash|slash|underscore) [\p{L}\p{N}_]|[\p{L}\p{N}_] dot (?:txt|md|csv|py|sh|c|h|ts|js|json|ya?ml|html|css|ini|conf|log|toml|tex|xml|ged)\b|\bfull stop\b|\bquestion mark$/iu

export function typed(request: string): string {
  if (!DICTATED.test(request)) return request
  return request
    .replaceAll(BEGINS, (_, before: string) => `${before} _`)
    .replaceAll(JOINED, (_, word: string) => SIGNS[word.toLowerCase()] ?? '')
    .replaceAll(ENDS, (_, word: string) => END_SIGNS[word.toLowerCase()] ?? '')
}
