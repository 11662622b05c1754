// Posts as an export of another system has them: one JSON object a line, gzipped.
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import * as z from 'zod/mini'

const SourcePost = z.object({
  title: z.string(),
  slug: z.string(),
  category: z.string(),
  posted_at: z.string(),
  body: z.string(),
})
export type SourcePost = z.infer<typeof SourcePost>

/** Lines end at a line feed only: bodies have other characters that some readers take for ends of lines. */
export async function readPosts(file: string): Promise<SourcePost[]> {
  const text = (await promisify(gunzip)(await readFile(file))).toString('utf8')
  return text.split('\n').flatMap(line => (line === '' ? [] : SourcePost.parse(JSON.parse(line))))
}
