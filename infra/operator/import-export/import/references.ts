// What a post refers to, by its ids here.
import type { PostItem } from '../item.ts'
import { type ImportJob, idOf } from './job.ts'

const MAX_CATEGORIES = 12

/** What of the references is not here is left out. */
export async function referencesOf(job: ImportJob, { author, categories }: PostItem) {
  const notes: string[] = []
  const authorId = author === null ? undefined : idOf(job, author)
  if (author !== null && authorId === undefined) notes.push('Its author was not imported.')
  const ids = [...new Set(categories)].flatMap(key => idOf(job, key) ?? [])
  if (ids.length < new Set(categories).size) notes.push('One of its categories was not imported.')
  if (ids.length > MAX_CATEGORIES) {
    notes.push(`It has the first ${MAX_CATEGORIES} of its ${ids.length} categories.`)
  }
  return {
    author_id: authorId ?? (await job.defaultAuthor()),
    category_ids: [...new Set(ids)].slice(0, MAX_CATEGORIES),
    notes,
  }
}
