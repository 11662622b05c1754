// What a browser finds on this machine beside the API; a deployed service has none of it.
import { docs } from './docs/docs.ts'
import { answerFrom } from './files.ts'
import { links } from './links/links.ts'

const pages = new Map([...docs, ...links])

/** Undefined where there is no page. */
export const pageAnswer = (path: string) => answerFrom(pages, path)
