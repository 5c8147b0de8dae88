/** A change of a file: its hunks under each other, or before and after side by side where there is room for that. */
import type { FileDiff } from '../../../src/protocol/file-diff.ts'
import { clean } from '../ui/text.ts'
import { toRows, toLines, type DiffLine } from './diff-lines.ts'
import { useDiffShape } from './use-diff-shape.ts'

const VERB = { created: 'new', removed: 'removed', edited: '' } as const

export function Diff({ diff }: { diff: FileDiff }) {
  const { path, kind, added, removed, text, omitted } = diff
  const [shape, setShape] = useDiffShape()
  return (
    <section className="diff" aria-label={`Change of ${clean(path)}`}>
      <header>
        {VERB[kind] !== '' && <span className="tag">{VERB[kind]}</span>}
        <bdi className="path">{clean(path)}</bdi>
        <span className="added">+{added}</span>
        <span className="removed">−{removed}</span>
        <button
          type="button"
          className="quiet"
          onClick={() => setShape(shape === 'split' ? 'unified' : 'split')}
        >
          {shape === 'split' ? 'Unified' : 'Side by side'}
        </button>
      </header>
      <div className="scroll" tabIndex={0} role="region" aria-label={`Lines of ${clean(path)}`}>
        {shape === 'split' ? <Split text={text} /> : <Unified text={text} />}
      </div>
      {omitted > 0 && <p className="faint">… {omitted} more lines</p>}
    </section>
  )
}

function Unified({ text }: { text: string }) {
  return (
    <table className="lines">
      <tbody>
        {toLines(text).map((line, index) => (
          <tr key={index} className={line.kind}>
            <td className="number">{line.before ?? line.after ?? ''}</td>
            <td className="sign">{SIGN[line.kind]}</td>
            <td className="code">{clean(line.text)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const SIGN = { hunk: '', same: '', add: '+', remove: '−' } as const

function Split({ text }: { text: string }) {
  return (
    <table className="lines split">
      <tbody>
        {toRows(toLines(text)).map(({ left, right }, index) => (
          <tr key={index}>
            <Side line={left} number={left?.before} />
            <Side line={right} number={right?.after} />
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Side({ line, number }: { line: DiffLine | undefined; number: number | undefined }) {
  return (
    <>
      <td className={`number ${line?.kind ?? 'none'}`}>{number ?? ''}</td>
      <td className={`code ${line?.kind ?? 'none'}`}>{line ? clean(line.text) : ''}</td>
    </>
  )
}
