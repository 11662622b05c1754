// The generations of public content: numbers that every change of it raises in its transaction.
import * as z from 'zod/mini'
import type { Update } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { generationKey } from '../table/design.ts'

/** `content`: of all public content. `names`: of what many answers show and few changes concern. */
export const Generations = z.object({ content: z._default(z.int(), 0), names: z._default(z.int(), 0) })
export type Generations = z.infer<typeof Generations>

/** One partition serves 3,000 strong reads a second; the usage plans let through 5,500 by default. */
const COPIES = 3

/**
 * `content`: a transaction changes posts in public view. `names`: it changes names of categories or authors,
 * settings or menus.
 */
export type Raised = 'content' | 'names'

/** shared/feed includes these in every transaction that changes public content. */
export function raiseGenerations(raised: Raised): Update[] {
  return Array.from({ length: COPIES }, (_, copy) => raiseCopy(copy, raised))
}

function raiseCopy(copy: number, raised: Raised): Update {
  const names = raised === 'names'
  return {
    Key: generationKey(copy),
    UpdateExpression: names ? 'ADD content :one, #names :one' : 'ADD content :one',
    ...(names && { ExpressionAttributeNames: { '#names': 'names' } }),
    ExpressionAttributeValues: { ':one': 1 },
  }
}

export function pickCopy(): number {
  return Math.floor(Math.random() * COPIES)
}

export async function findGenerations(table: Table, copy: number): Promise<Generations> {
  return (await table.find(generationKey(copy), Generations)) ?? Generations.parse({})
}
