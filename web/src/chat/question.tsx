/** A question that waits for the person, with the same choices and the same keys as in the terminal. */
import { type KeyboardEvent, useEffect, useState } from 'react'
import type { Answer } from '../../../src/protocol/session-api.ts'
import { permissionOptions, type QuestionOption as Option } from '../../../src/view/question-options.ts'
import type { ViewQuestion } from '../../../src/view/view.ts'
import { clean } from '../ui/text.ts'
import { Diff } from './diff.tsx'

type Props = {
  readonly question: ViewQuestion
  readonly isAllowed: boolean
  readonly waiting: number
  answer(askId: string, answer: Answer): void
}

const NO = 'The person said no.'

function optionsOf(question: ViewQuestion): readonly Option[] {
  if (question.kind === 'question')
    return [
      ...question.options.map((text, index) => ({ key: String(index + 1), label: text, answer: { text } })),
      { key: 'r', label: question.options.length > 0 ? 'Something else' : 'Answer' },
    ]
  return permissionOptions(question)
}

export function QuestionCard({ question, isAllowed, waiting, answer }: Props) {
  const [isTyping, setTyping] = useState(false)
  const options = optionsOf(question)
  const isFree = isTyping || (question.kind === 'question' && question.options.length === 0)
  const take = (option: Option | undefined): void => {
    if (option?.answer) answer(question.askId, option.answer)
    else if (option) setTyping(true)
  }
  const onKey = (event: KeyboardEvent | globalThis.KeyboardEvent): void => {
    const isText =
      event.target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
    if (isText || event.ctrlKey || event.metaKey || event.altKey || !isAllowed) return
    const option = options.find(({ key }) => key === event.key)
    if (option) event.preventDefault()
    take(option)
  }
  useEffect(() => {
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
  return (
    <section className="card question" role="group" aria-label="Question">
      <Head question={question} />
      {!isAllowed && (
        <p className="warning">
          Answering needs a token with the scope <code>approve</code>.
        </p>
      )}
      {isFree ? (
        <FreeAnswer
          question={question}
          isAllowed={isAllowed}
          answer={answer}
          onBack={() => setTyping(false)}
        />
      ) : (
        <div className="choices">
          {options.map((option) => (
            <button key={option.key} type="button" disabled={!isAllowed} onClick={() => take(option)}>
              <kbd>{option.key}</kbd> {clean(option.label)}
            </button>
          ))}
        </div>
      )}
      {waiting > 0 && <p className="faint">{waiting} more after this one</p>}
    </section>
  )
}

function Head({ question }: { question: ViewQuestion }) {
  if (question.kind === 'question') return <h2>{clean(question.question)}</h2>
  const { access, why, secrets, diff, name } = question
  return (
    <>
      <h2>Allow {clean(name)}?</h2>
      {diff.length > 0
        ? diff.map((file) => <Diff key={file.path} diff={file} />)
        : access.map(({ kind, target }) => (
            <p key={`${kind} ${target}`}>
              <span className="tag">{kind}</span> <code>{clean(target)}</code>
            </p>
          ))}
      <p className="faint">Why it asks: {clean(why)}</p>
      {secrets.map(({ kind, placeholder, path }) => (
        <p key={placeholder} className="warning">
          Gives it the {clean(kind)}
          {path ? ` of ${clean(path)}` : ''} ({clean(placeholder)})
        </p>
      ))}
    </>
  )
}

type FreeProps = Pick<Props, 'question' | 'isAllowed' | 'answer'> & { onBack(): void }

function FreeAnswer({ question, isAllowed, answer, onBack }: FreeProps) {
  const [text, setText] = useState('')
  const say = (): void => {
    const words = text.trim()
    if (question.kind === 'permission')
      answer(question.askId, { allow: false, reason: words === '' ? NO : `The person said no: ${words}` })
    else answer(question.askId, { text: words })
  }
  const label = question.kind === 'permission' ? 'Why not' : 'Your answer'
  return (
    <form
      className="free"
      onSubmit={(event) => {
        event.preventDefault()
        say()
      }}
    >
      <input
        autoFocus
        aria-label={label}
        placeholder={label}
        value={text}
        disabled={!isAllowed}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onBack()}
      />
      <button type="submit" className="primary" disabled={!isAllowed}>
        Say it
      </button>
    </form>
  )
}
