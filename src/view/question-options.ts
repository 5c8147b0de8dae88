/** The answers a permission question offers, with their keys: the same on every face. */
import type { Answer } from '../protocol/session-api.ts'
import type { ViewQuestion } from './view.ts'

/** Without an answer the person types one. */
export type QuestionOption = { readonly key: string; readonly label: string; readonly answer?: Answer }

const NO = 'The person said no.'

export function permissionOptions({
  always,
}: Extract<ViewQuestion, { kind: 'permission' }>): readonly QuestionOption[] {
  return [
    { key: 'y', label: 'Yes, once', answer: { allow: true } },
    ...(always
      ? [
          { key: 's', label: 'Yes, for this session', answer: { allow: true, remember: 'session' } } as const,
          {
            key: 'a',
            label: `Always: ${always.text.replace(/^always /, '')}`,
            answer: { allow: true, remember: true },
          } as const,
        ]
      : []),
    { key: 'n', label: 'No', answer: { allow: false, reason: NO } },
    { key: 'r', label: 'No, and say why' },
  ]
}
