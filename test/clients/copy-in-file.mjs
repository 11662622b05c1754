// Keeps the copy and its cursor in a file, so that the next build asks only for what has changed.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pull } from './pull.mjs'

/** All posts and pages, up to date. */
export async function copyInFile(file) {
  const kept = await readFile(file, 'utf8').then(JSON.parse, () => ({ posts: [] }))
  const copy = new Map(kept.posts)
  const cursor = await pull(copy, kept.cursor)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.new`, JSON.stringify({ cursor, posts: [...copy] }))
  await rename(`${file}.new`, file)
  return [...copy.values()]
}
