// Taking a slug: one that is given is free or refused, one that is made is numbered until it is free.

import { invalid } from '../http/errors.ts'
import type { Table } from '../table/client.ts'
import { failedAs } from '../table/conditions.ts'
import type { Key } from '../table/key.ts'
import { nextId } from '../table/next-id.ts'
import { slugFrom } from './slug.ts'

/** What the lock of a slug says when another record has it. */
export const SLUG_TAKEN = 'slug'
export const SLUG_FAULT = { slug: ['Is already taken.'] }

function isTaken(error: unknown): boolean {
  return failedAs(error, SLUG_TAKEN)
}

/** A slug that the caller named and that another has is the caller's fault. */
export function slugTaken(error: unknown): never {
  throw isTaken(error) ? invalid(SLUG_FAULT) : error
}

type Made = {
  table: Table
  kind: 'post' | 'category'
  title: string
  fallback: string
  id: number
  keyOf: (slug: string) => Key
}

/** After ten clashes the id is the number: a thousand equal titles must not probe a thousand keys. */
const MOST_NUMBERS = 10
/** Each lost race shows one more number as taken, so that all are through long before. */
const MOST_ROUNDS = 20

/** Runs `create` with the slug of the title, then with numbered ones, until nobody else has it. */
export async function withMadeSlug<T>(made: Made, create: (slug: string) => Promise<T>): Promise<T> {
  for (let round = 0; ; round++) {
    const slug = round === 0 ? slugFrom(made.title, made.fallback) : await numberedSlug(made)
    try {
      return await create(slug)
    } catch (error) {
      if (!isTaken(error) || round === MOST_ROUNDS) throw error
    }
  }
}

/** The lowest number that is free, else the id, else (somebody named a slug just so) a number of its own. */
async function numberedSlug({ table, kind, title, fallback, id, keyOf }: Made): Promise<string> {
  const numbers = [...Array.from({ length: MOST_NUMBERS - 1 }, (_, n) => n + 2), id]
  const candidates = [...new Set(numbers.map(number => slugFrom(title, fallback, number)))]
  const taken = new Set((await table.findMany(candidates.map(keyOf))).map(({ pk }) => pk))
  const free = candidates.find(slug => !taken.has(keyOf(slug).pk))
  return free ?? slugFrom(title, fallback, await nextId(table, kind))
}
