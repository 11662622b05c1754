// Reads posts from an export of another system: one JSON object per line, which may be gzipped.
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

/** Splits at line feeds only: bodies contain other characters that some readers take for line ends. */
export async function readPosts(file: string): Promise<SourcePost[]> {
  const bytes = await readFile(file)
  const text = (file.endsWith('.gz') ? await promisify(gunzip)(bytes) : bytes).toString('utf8')
  return text.split('\n').flatMap(line => (line === '' ? [] : SourcePost.parse(JSON.parse(line))))
}
