import { oneLine } from '../ui/text.ts'
import { type Completion, LIST_ID } from './use-completion.ts'

export function Completions({ completion }: { completion: Completion }) {
  const { suggestions, chosen, take } = completion
  if (suggestions.length === 0) return null
  return (
    <ul className="completions" id={LIST_ID} role="listbox" aria-label="Completions">
      {suggestions.map((suggestion, index) => (
        <li
          key={suggestion.text}
          id={`${LIST_ID}-${index}`}
          role="option"
          aria-selected={index === chosen}
          onMouseDown={(event) => {
            event.preventDefault()
            take(suggestion)
          }}
        >
          <code>{oneLine(suggestion.text)}</code>
          <span className="faint">{oneLine(suggestion.help)}</span>
        </li>
      ))}
    </ul>
  )
}
