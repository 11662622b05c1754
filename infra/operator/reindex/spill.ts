// The postings of all posts, sorted by term without having all of them in memory: files of some terms each.
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { type Doc, postingsOf } from '../../../shared/search/doc.ts'
import { byRank, type Posting } from '../../../shared/search/posting.ts'

/** About four million postings a file, of texts of usual length. */
const POSTS_PER_FILE = 4_000
const FLUSHED_CHARACTERS = 1_000_000

/** Of one post: its place in the order of finds, and its terms by their weight. */
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

  const add = async (doc: Doc): Promise<void> => {
    const { posted_at, id, is_page } = doc
    const ofFile = Map.groupBy(postingsOf(doc), ([term]) => files[hash(term) % files.length])
    for (const [file, postings] of ofFile) {
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

  /** Each term once, with its postings in their order; file by file. */
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
    const { terms, ...place } = Line.parse(JSON.parse(text))
    for (const [term, weight] of terms) {
      const ofTerm = postings.get(term)
      if (ofTerm) {
        ofTerm.push({ ...place, weight })
      } else {
        postings.set(term, [{ ...place, weight }])
      }
    }
  }
  for (const ofTerm of postings.values()) ofTerm.sort(byRank)
  return postings
}

/** Spreads terms evenly: FNV-1a. */
function hash(term: string): number {
  let value = 0x811c9dc5
  for (let n = 0; n < term.length; n++) value = Math.imul(value ^ term.charCodeAt(n), 0x01000193)
  return value >>> 0
}
