/** `[Image: path]` in a prompt becomes an image part where the arm sees images; the words stay as they are. */
import type { Image } from '../protocol/message.ts'

/** At most `maxBytes` + 1 bytes of a file, so that a longer one is detected; undefined if unreadable. */
export type ReadBytes = (path: string, maxBytes: number) => Promise<Uint8Array | undefined>

export type FoundImages = { readonly images: readonly Image[]; readonly warnings: readonly string[] }

const MAX_BYTES = 10 * 1024 * 1024
const MOST_IMAGES = 20

export async function findImages(text: string, vision: boolean, read: ReadBytes): Promise<FoundImages> {
  const paths = [...text.matchAll(/\[Image: ([^\]\n]{1,4096})\]/g)].map(([, path = '']) => path.trim())
  const distinct = [...new Set(paths)]
  const found = await Promise.all(distinct.slice(0, MOST_IMAGES).map((path) => loadImage(path, vision, read)))
  const left = distinct.length - MOST_IMAGES
  return {
    images: found.filter((image) => typeof image !== 'string'),
    warnings: [
      ...found.filter((warning) => typeof warning === 'string'),
      ...(left > 0 ? [`${left} more images are sent as text: ${MOST_IMAGES} are the most at once.`] : []),
    ],
  }
}

/** The image, or why it stays text. */
async function loadImage(path: string, vision: boolean, read: ReadBytes): Promise<Image | string> {
  if (!vision) return `${path} is sent as text: this model cannot see images.`
  const bytes = await read(path, MAX_BYTES)
  if (!bytes) return `${path} is sent as text: it cannot be read.`
  if (bytes.length > MAX_BYTES) return `${path} is sent as text: it is larger than 10 MiB.`
  const mediaType = sniff(bytes)
  if (!mediaType) return `${path} is sent as text: it is no PNG, JPEG, GIF or WebP image.`
  return { mediaType, base64: Buffer.from(bytes).toString('base64'), path }
}

/** By the first bytes, never by the name. */
function sniff(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (start.startsWith('\u0089PNG\r\n\u001A\n')) return 'image/png'
  if (start.startsWith('\u00FF\u00D8\u00FF')) return 'image/jpeg'
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif'
  return start.startsWith('RIFF') && start.slice(8) === 'WEBP' ? 'image/webp' : undefined
}
