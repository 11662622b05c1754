// The words of a post, within a time: a text whose words take longer fails by itself, and holds up no others.
import { createContext, Script } from 'node:vm'
import { textOf } from '../posts/html-text.ts'
import type { Post } from '../posts/post.ts'
import { type Doc, docOf } from './doc.ts'

/** The longest text that a request can bring takes a second or two. */
const LONGEST_MS = 10_000

/** Whoever runs a script may say how long: then it is ended, also within what it called. */
const CALL = new Script('run()')

/** Throws where it takes too long. */
export function withTimeLimit<T>(run: () => T, timeout: number): T {
  const results: T[] = []
  CALL.runInContext(createContext({ run: () => results.push(run()) }), { timeout })
  for (const result of results) return result
  throw new Error('A script ended without its result.')
}

export function docWithTimeLimit(post: Post & { posted_at: number }, body: string): Doc {
  return withTimeLimit(() => docOf(post, textOf(body)), LONGEST_MS)
}
