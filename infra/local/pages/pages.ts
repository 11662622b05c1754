// The pages of the local run. A deployed service has none of them.
import { docs } from './docs/docs.ts'
import { answerFrom } from './files.ts'
import { home } from './home/home.ts'
import { links } from './links/links.ts'

const PAGES = new Map([...home, ...docs, ...links])

export const PAGE_PATHS = [...PAGES.keys()]

/** Undefined for paths without a page. */
export function pageAnswer(path: string) {
  return answerFrom(PAGES, path)
}
