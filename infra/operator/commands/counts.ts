// The command that counts the records of each kind.
import { countedCategories } from '../../../shared/categories/store.ts'
import { listLeftRows } from '../../../shared/events/sweep-outbox.ts'
import { type Context, command } from '../command.ts'
import type { Numbers } from '../count.ts'
import { RECORD_TYPES } from '../record-types.ts'

type Group = readonly [name: string, numbers: number | Numbers]

function countRecords(context: Context): Promise<Group[]> {
  const counts = RECORD_TYPES.flatMap(({ counts }) => Object.entries(counts))
  return Promise.all(counts.map(async ([name, read]) => [name, await read(context)] as const))
}

/** `waiting`: messages that no queue has accepted for a minute, of the oldest 1,600. */
async function countOutbox({ target: { table }, nowMs }: Context): Promise<Numbers> {
  return { waiting: (await listLeftRows(table, nowMs)).length }
}

function linesOf([group, numbers]: Group): string[] {
  if (typeof numbers === 'number') return [`${group}\t${numbers}`]
  return Object.entries(numbers).map(([name, number]) => `${group} ${name.replace('_', ' ')}\t${number}`)
}

const counts = command({
  name: 'counts',
  summary: 'Count records of each kind by status, and the published posts of each category',
  run: async (_, context) => {
    const { target, nowMs } = context
    const [records, outbox, categories] = await Promise.all([
      countRecords(context),
      countOutbox(context),
      countedCategories(target.table, nowMs),
    ])
    const groups: Group[] = [...records, ['outbox', outbox]]
    return {
      lines: [
        ...groups.flatMap(linesOf),
        ...categories.map(({ slug, posts_count }) => `category ${slug}\t${posts_count}`),
      ],
      json: {
        ...Object.fromEntries(groups),
        categories: categories.map(({ id, name, slug, posts_count }) => ({ id, name, slug, posts_count })),
      },
    }
  },
})

export const COUNTS_COMMANDS = [counts]
