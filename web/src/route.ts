/** Where in the page we are: kept in the fragment, which never leaves the browser. */
import { useSyncExternalStore } from 'react'

export type Route = { readonly page: string; readonly rest: string | undefined }

export function useRoute(): Route {
  const hash = useSyncExternalStore(
    (listener) => {
      window.addEventListener('hashchange', listener)
      return () => window.removeEventListener('hashchange', listener)
    },
    () => location.hash,
  )
  return parseRoute(hash)
}

function parseRoute(hash: string): Route {
  const [page = '', rest] = hash.replace(/^#\/?/, '').split('/')
  return {
    page: page === '' ? 'chat' : page,
    rest: rest === undefined || rest === '' ? undefined : decode(rest),
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const go = (path: string): void => {
  location.hash = path
}
