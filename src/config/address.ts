import { isIP } from 'node:net'

/** This machine or its own network: private addresses, single words and `.local` names. */
export function isLocalAddress(url: string | undefined): boolean {
  if (url === undefined || !URL.canParse(url)) return false
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 4) return PRIVATE_V4.test(host)
  if (isIP(host) === 6) return /^(?:::1?$|f[cd]|fe80:)/i.test(host)
  return !host.includes('.') || /\.(?:local|lan|home|internal|localhost)$/i.test(host)
}

const PRIVATE_V4 =
  /^(?:0\.0\.0\.0$|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/
