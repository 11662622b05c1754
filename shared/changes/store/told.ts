// Takes targets from rows until an answer is full, and says where the next answer goes on.
import { openTold, type PostsOf, type Row, type Target, type Told } from '../change.ts'
import { hourOf, type Position, type Progress } from '../position.ts'
import { postsOf } from './posts-of.ts'
import type { Rows } from './rows.ts'
import type { PostsReader } from './shown-posts.ts'

export type Answerable = { told: Told[]; next: Position; hasMore: boolean }

/** At most `limit` targets. */
export async function takeTargets(
  reader: PostsReader,
  start: Position,
  { rows, isAll }: Rows,
  limit: number,
): Promise<Answerable> {
  const told = openTold(limit)
  let position: Position = { ...start, issued: hourOf(reader.nowSeconds) }

  /** Takes a target. Returns where its posts go on, or false if there is no room. */
  const take = async (
    target: Target | PostsOf,
    row: Row,
    progress?: Progress,
  ): Promise<Progress | boolean> => {
    if (target.kind !== 'posts-of') return told.add(target, row.atMs)
    if (told.room() === 0) return false
    const part = await postsOf(reader, target, progress, told.room())
    for (const found of part.targets) told.add(found, row.atMs)
    return part.next ?? true
  }

  for (const row of rows) {
    const { source, key } = row
    const begun = start.begun?.source === source && start.begun.key === key ? start.begun : undefined
    for (let n = begun?.told ?? 0; n < row.targets.length; n++) {
      const target = row.targets[n]
      const progress = n === begun?.told ? progressOf(begun) : undefined
      const taken = target ? await take(target, row, progress) : true
      if (taken === true) continue
      const rest = { source, key, told: n, ...(taken || progress) }
      return { told: told.all(), next: { ...position, begun: rest }, hasMore: true }
    }
    position = isFeed(row) ? { ...position, place: row.place } : { ...position, due: key }
  }
  const { begun: _, ...rest } = position
  return { told: told.all(), next: rest, hasMore: !isAll }
}

/** Undefined if its posts are not yet begun. */
function progressOf({ walk, counting }: Progress): Progress | undefined {
  return walk || counting ? { walk, counting } : undefined
}

function isFeed({ source }: Row): boolean {
  return source === 'feed'
}
