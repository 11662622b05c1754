// Limits the time to tokenize a post, so that a hostile text fails alone and does not block other posts.
import { createContext, Script } from 'node:vm'
import { textOf } from '../posts/html-text.ts'
import type { Post } from '../posts/post.ts'
import { documentOf, type SearchDocument } from './document.ts'

/** The longest text that fits into a request takes one or two seconds. */
const LONGEST_MS = 10_000

/** Node can stop a script after a time, even in a function that it calls or within a regular expression. */
const CALL = new Script('run()')

/** Throws when `run` takes longer than `timeoutMs`. */
export function withTimeLimit<T>(run: () => T, timeoutMs: number): T {
  const results: T[] = []
  CALL.runInContext(createContext({ run: () => results.push(run()) }), { timeout: timeoutMs })
  for (const result of results) return result
  throw new Error('The script ended without a result.')
}

/** Without the words of the body if they take too long. */
export function documentWithTimeLimit(
  post: Post & { posted_at: number },
  body: string,
  onTimeout: (problem: unknown) => void,
): SearchDocument {
  try {
    return withTimeLimit(() => documentOf(post, textOf(body)), LONGEST_MS)
  } catch (problem) {
    onTimeout(problem)
    return documentOf(post, '')
  }
}
