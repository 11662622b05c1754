// Reserves slugs: a slug named by the caller is free or rejected, one derived from a title is numbered until
// it is free.
import { invalid } from '../http/errors.ts'
import { failedAs } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import type { Key } from '../table/design.ts'
import { nextId } from '../table/next-id.ts'
import { slugFrom } from './slug.ts'

/** The meaning of a slug lock's failed condition: another record has the slug. */
export const SLUG_TAKEN = 'slug'
export const SLUG_FAULT = { slug: ['Is already taken.'] }

/** For `catch`: throws VALIDATION_ERROR if the slug is taken, else the error itself. */
export function slugTaken(error: unknown): never {
  throw failedAs(error, SLUG_TAKEN) ? invalid(SLUG_FAULT) : error
}

type SlugRequest = {
  table: Table
  kind: 'post' | 'category'
  title: string
  fallback: string
  id: number
  keyOf: (slug: string) => Key
}

/** After ten clashes the id becomes the number, so that equal titles do not cost ever more reads. */
const MAX_NUMBERS = 10
/** A lost race shows one more number as taken, so real requests need far fewer rounds. */
const MAX_ROUNDS = 20

/** Runs `create` with the title's slug, then with numbered slugs, until one is free. */
export async function withDerivedSlug<T>(
  request: SlugRequest,
  create: (slug: string) => Promise<T>,
): Promise<T> {
  for (let round = 0; ; round++) {
    const slug = round === 0 ? slugFrom(request.title, request.fallback) : await numberedSlug(request)
    try {
      return await create(slug)
    } catch (error) {
      if (!failedAs(error, SLUG_TAKEN) || round === MAX_ROUNDS) throw error
    }
  }
}

/** The lowest free number, else the id, else a new number if a caller already named that slug. */
async function numberedSlug({ table, kind, title, fallback, id, keyOf }: SlugRequest): Promise<string> {
  const numbers = [...Array.from({ length: MAX_NUMBERS - 1 }, (_, n) => n + 2), id]
  const candidates = [...new Set(numbers.map(number => slugFrom(title, fallback, number)))]
  const taken = new Set((await table.findMany(candidates.map(keyOf))).map(({ pk }) => pk))
  const free = candidates.find(slug => !taken.has(keyOf(slug).pk))
  return free ?? slugFrom(title, fallback, await nextId(table, kind))
}
