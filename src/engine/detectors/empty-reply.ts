import type { ReplyDetector } from '../trace.ts'

/** Neither words nor calls: reasoning that ate the answer, or a stop token too early. */
export const emptyReply: ReplyDetector = ({ text, calls }) =>
  text.trim() === '' && calls.length === 0
    ? { detector: 'empty-reply', note: 'Your reply was empty. Call a tool to go on, or give the answer.' }
    : undefined
