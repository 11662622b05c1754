// Takes targets from rows until an answer is full, and says where the next answer goes on.
import type { Table } from '../../table/client.ts'
import { openTold, type PostsOf, type Row, type Target, type Told } from '../change.ts'
import { hourOf, type Position, type Walk } from '../position.ts'
import { postsOf } from './posts-of.ts'
import type { Rows } from './rows.ts'

export type Answerable = { told: Told[]; next: Position; hasMore: boolean }

/** At most `limit` targets. */
export async function takeTargets(
  reader: { table: Table; nowSeconds: number },
  start: Position,
  { rows, isAll }: Rows,
  limit: number,
): Promise<Answerable> {
  const told = openTold(limit)
  let position: Position = { ...start, issued: hourOf(reader.nowSeconds) }

  /** Takes a target. Returns where its posts go on, or false if there is no room. */
  const take = async (target: Target | PostsOf, row: Row, walk?: Walk): Promise<Walk | boolean> => {
    if (target.kind !== 'posts-of') return told.add(target, row.atMs)
    if (told.room() === 0) return false
    const part = await postsOf(reader, target, walk, told.room())
    for (const found of part.targets) told.add(found, row.atMs)
    return part.next ?? true
  }

  for (const row of rows) {
    const { source, key } = row
    const begun = start.begun?.source === source && start.begun.key === key ? start.begun : undefined
    for (let n = begun?.told ?? 0; n < row.targets.length; n++) {
      const target = row.targets[n]
      const walk = n === begun?.told ? begun.walk : undefined
      const taken = target ? await take(target, row, walk) : true
      if (taken === true) continue
      const next = taken || walk
      const rest = { source, key, told: n, ...(next && { walk: next }) }
      return { told: told.all(), next: { ...position, begun: rest }, hasMore: true }
    }
    position = isFeed(row) ? { ...position, place: row.place } : { ...position, due: key }
  }
  const { begun: _, ...rest } = position
  return { told: told.all(), next: rest, hasMore: !isAll }
}

function isFeed({ source }: Row): boolean {
  return source === 'feed'
}
