// The generations of public content: numbers that every change of it raises in its transaction.
import * as z from 'zod/mini'
import type { Action } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { generationKey } from '../table/design.ts'

/** `content`: of all public content. `names`: of what many answers show and few changes concern. */
export const Generations = z.object({ content: z._default(z.int(), 0), names: z._default(z.int(), 0) })
export type Generations = z.infer<typeof Generations>

/** One partition serves 3,000 strong reads a second, so that four copies serve 12,000. */
const COPIES = 4

/** Include in every transaction that changes posts in public view. */
export function raiseContent(): Action[] {
  return raise('ADD content :one')
}

/** Include in every transaction that changes names of categories or authors, settings or menus. */
export function raiseNames(): Action[] {
  return raise('ADD content :one, #names :one', { '#names': 'names' })
}

function raise(UpdateExpression: string, names?: Record<string, string>): Action[] {
  return Array.from({ length: COPIES }, (_, copy) => ({
    Update: {
      Key: generationKey(copy),
      UpdateExpression,
      ...(names && { ExpressionAttributeNames: names }),
      ExpressionAttributeValues: { ':one': 1 },
    },
  }))
}

export function pickCopy(): number {
  return Math.floor(Math.random() * COPIES)
}

export async function findGenerations(table: Table, copy: number): Promise<Generations> {
  return (await table.find(generationKey(copy), Generations)) ?? Generations.parse({})
}
