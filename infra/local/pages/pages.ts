// What a browser finds on this machine beside the API; a deployed service has none of it.
import { docs } from './docs/docs.ts'
import { answerFrom } from './files.ts'
import { home } from './home/home.ts'
import { links } from './links/links.ts'

const pages = new Map([...home, ...docs, ...links])

export const PAGE_PATHS = [...pages.keys()]

/** Undefined where there is no page. */
export function pageAnswer(path: string) {
  return answerFrom(pages, path)
}
