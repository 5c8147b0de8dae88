import type { ReplyDetector } from './detector.ts'

/** Neither words nor calls: reasoning that ate the answer, or a stop token too early. */
export const emptyReply: ReplyDetector = ({ text, calls }) =>
  text.trim() === '' && calls.length === 0
    ? {
        detector: 'empty-reply',
        note: 'Your reply was empty. Call a tool to go on, or give the answer.',
        otherwise: 'Nothing came back again. Write one tool call or one sentence, without thinking first.',
        isVoid: true,
      }
    : undefined
