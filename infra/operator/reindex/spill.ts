// Temporary files that sort the postings of all posts by term without keeping all of them in memory.
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { postingsOf, type SearchDocument } from '../../../shared/search/document.ts'
import { byRank, type Posting } from '../../../shared/search/posting.ts'

/** Texts of usual length give about four million postings a file. */
const POSTS_PER_FILE = 4_000
const FLUSHED_CHARACTERS = 1_000_000

/** One post: what it is ranked by, and its terms with their weights. */
const Line = z.object({
  posted_at: z.int(),
  id: z.int(),
  is_page: z.boolean(),
  terms: z.array(z.tuple([z.string(), z.int()])),
})
type Line = z.infer<typeof Line>

export type Spill = Awaited<ReturnType<typeof openSpill>>

export async function openSpill(posts: number) {
  const folder = await mkdtemp(join(tmpdir(), 'reindex-'))
  const files = Array.from({ length: Math.ceil(posts / POSTS_PER_FILE) || 1 }, (_, n) => ({
    path: join(folder, String(n)),
    text: '',
  }))
  const flush = async (file: { path: string; text: string }) => {
    const text = file.text
    file.text = ''
    await appendFile(file.path, text)
  }

  const add = async (doc: SearchDocument): Promise<void> => {
    const { posted_at, id, is_page } = doc
    const byFile = Map.groupBy(postingsOf(doc), ([term]) => files[hash(term) % files.length])
    for (const [file, postings] of byFile) {
      if (!file) continue
      const line: Line = {
        posted_at,
        id,
        is_page,
        terms: postings.map(([term, { weight }]) => [term, weight]),
      }
      file.text += `${JSON.stringify(line)}\n`
      if (file.text.length > FLUSHED_CHARACTERS) await flush(file)
    }
  }

  /** Yields each term once, with its postings in rank order; one file at a time. */
  const read = async function* (): AsyncGenerator<Map<string, Posting[]>> {
    for (const file of files) {
      await flush(file)
      yield sorted((await readFile(file.path, 'utf8')).split('\n').filter(line => line !== ''))
    }
  }

  const remove = () => rm(folder, { recursive: true })
  return { files: files.length, add, read, [Symbol.asyncDispose]: remove }
}

function sorted(lines: string[]): Map<string, Posting[]> {
  const postings = new Map<string, Posting[]>()
  for (const text of lines) {
    const { terms, ...post } = Line.parse(JSON.parse(text))
    for (const [term, weight] of terms) {
      const existing = postings.get(term)
      if (existing) {
        existing.push({ ...post, weight })
      } else {
        postings.set(term, [{ ...post, weight }])
      }
    }
  }
  for (const ofTerm of postings.values()) ofTerm.sort(byRank)
  return postings
}

/** FNV-1a: spreads terms evenly over the files. */
function hash(term: string): number {
  let value = 0x811c9dc5
  for (let n = 0; n < term.length; n++) value = Math.imul(value ^ term.charCodeAt(n), 0x01000193)
  return value >>> 0
}
