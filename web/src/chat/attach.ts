/** A file of the person's machine that goes with the next message. */
import type { Attached } from './controls.ts'

const MOST_TEXT = 1_000_000
const MOST_IMAGE = 5_000_000

export async function toAttached(file: File): Promise<Attached> {
  if (/^image\/(?:png|jpeg|gif|webp)$/.test(file.type)) {
    if (file.size > MOST_IMAGE) throw new Error(`${file.name} is larger than 5 MB; attach a smaller picture.`)
    return { name: file.name, image: { mediaType: file.type, base64: await toBase64(file) } }
  }
  if (file.size > MOST_TEXT)
    throw new Error(`${file.name} is larger than 1 MB; put it into the project and use @path.`)
  const text = await file.text()
  if (text.includes('\0'))
    throw new Error(`${file.name} is not a text; only texts and pictures can be attached.`)
  return { name: file.name, text }
}

function toBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`))
    reader.readAsDataURL(file)
  })
}
