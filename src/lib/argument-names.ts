/** What other programs call the parameters of common tools. One table, read in both directions. */

/** By our name; theirs without case and separators. */
const OTHER_NAMES: { readonly [parameter: string]: readonly string[] } = {
  path: ['filename', 'file', 'filepath', 'targetfile', 'directory', 'dir', 'folder', 'dirpath'],
  command: ['cmd', 'script', 'shell', 'commandline'],
  pattern: ['query', 'regex', 'glob', 'search', 'searchterm', 'text'],
  query: ['pattern', 'search', 'question', 'q'],
  content: ['text', 'contents', 'filetext', 'body', 'data'],
  old: ['oldstring', 'oldstr', 'oldtext', 'search', 'find', 'original'],
  new: ['newstring', 'newstr', 'newtext', 'replace', 'replacement', 'updated'],
  url: ['uri', 'link', 'address'],
  text: ['content', 'fact', 'note'],
  code: ['script', 'source'],
  patch: ['diff', 'input'],
  id: ['jobid', 'resultid', 'handle'],
  file: ['filepath', 'path', 'filename', 'sourcefile'],
  function: ['functionname', 'func', 'fn'],
  name: ['toolname', 'skillname'],
  from: ['offset', 'startline', 'start', 'line'],
}

/** Whether `written` is another name of our `parameter`. */
export const meansParameter = (written: string, parameter: string): boolean =>
  OTHER_NAMES[parameter]?.includes(foldName(written)) ?? false

/** A name without case and separators: `filePath` and `file_path` are one. */
export const foldName = (name: string): string => name.toLowerCase().replace(/[-_.\s]/g, '')
