// The pages of the local run. A deployed service has none of them.
import { DOCS } from './docs/docs.ts'
import { answerWithFile } from './files.ts'
import { HOME } from './home/home.ts'
import { LINKS } from './links/links.ts'

const PAGES = new Map([...HOME, ...DOCS, ...LINKS])

export const PAGE_PATHS = [...PAGES.keys()]

/** Undefined for paths without a page. */
export function pageAnswer(path: string) {
  return answerWithFile(PAGES, path)
}
