type Props = { readonly label: string; readonly value: string; onChange(text: string): void }

export const Search = ({ label, value, onChange }: Props) => (
  <input
    type="search"
    aria-label={label}
    placeholder="Search"
    value={value}
    onChange={(event) => onChange(event.target.value)}
  />
)
