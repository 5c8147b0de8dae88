/** A page of the web, as text. Which pages may be fetched is the guard's business. */
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import { defineTool, type FetchedPage } from '../protocol/tool.ts'

export const fetchUrlTool = defineTool({
  name: 'fetch_url',
  description: 'Get a web page as text',
  category: 'web',
  input: z.object({ url: z.string() }),
  access: ({ url }) => [{ kind: 'fetch', target: withScheme(url) }],

  async run({ url }, { fetch, signal }) {
    if (!fetch) throw new AppError('offline', 'This session has no network access.')
    const page = await fetch(withScheme(url), { signal })
    return page.status < 400
      ? toText(page)
      : {
          ok: false,
          code: 'failed',
          text: `HTTP ${page.status} from ${page.url}\n${page.text.slice(0, 2000)}`,
        }
  },
})

/** Models leave it out. */
const withScheme = (url: string): string => (/^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `https://${url}`)

function toText({ url, title, text }: FetchedPage): string {
  const heading = [title && `# ${title}`, url].filter(Boolean).join('\n')
  return `${heading}\n\n${text.trim() || '(empty)'}`
}
