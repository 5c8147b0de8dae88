/**
 * Control tokens that a server let through as text. At the end of a reply, or on a line of their own, they end it; at the
 * end of a name or of arguments they are cut off. Inside a sentence, a quote or code they are what the text is about.
 */
const TOKEN = String.raw`(?:<\|[a-z_][\w -]{0,40}\|>|<｜[^<>｜\n]{1,40}｜>|<\/s>|<(?:eos|bos|pad|end_of_turn|start_of_turn)>|\[\/?INST\]|<\|(?:im_end|eot_id|end|endoftext|eom_id)\|?)`

const AT_END = new RegExp(String.raw`(?:\s*${TOKEN})+\s*$`, 'i')
const OWN_LINE = new RegExp(String.raw`^[ \t]*${TOKEN}[ \t]*$`, 'im')

export function withoutSpecialTokens(text: string): string {
  if (!/[<[]/.test(text)) return text
  const from = ownLine(text)
  const cut = from === undefined ? text : text.slice(0, from).trimEnd()
  const isQuoted = /`[^`\n]*$/.test(cut.replace(AT_END, ''))
  return isQuoted ? cut : cut.replace(AT_END, '')
}

/** The first line that holds nothing but one, outside code. */
function ownLine(text: string): number | undefined {
  const plain = text.replaceAll(/```[\s\S]*?(?:```|$)/g, (block) => 'x'.repeat(block.length))
  const at = plain.search(OWN_LINE)
  return at < 0 ? undefined : at
}

/** For names, and for arguments, whose JSON ends before anything of this kind. */
export const withoutTokenAtEnd = (text: string): string => text.replace(AT_END, '')
