// Lists the posts and pages that show an author or a category, some of them at a time.
import { compareOrder } from '../../lists/children.ts'
import type { PostsOf, Target } from '../change.ts'
import type { Progress, Walk } from '../position.ts'
import { beginning, countPosts } from './count-posts-of.ts'
import { isShown, listOf, orderOf, type PostsReader, READ_AT_ONCE, readPart } from './shown-posts.ts'

/** `next`: where to go on; undefined at the end. */
export type PostsPart = { targets: Target[]; next: Progress | undefined }

/** At most `room` of them, from a position on. */
export async function postsOf(
  reader: PostsReader,
  of: PostsOf,
  progress: Progress | undefined,
  room: number,
): Promise<PostsPart> {
  const start = progress ?? (await beginning(reader, of))
  const counted = start?.counting ? await countPosts(reader, of, start.counting) : start
  if (!counted) return { targets: [{ kind: 'all' }], next: undefined }
  if (counted.counting || start?.counting) return { targets: [], next: counted }
  const targets: Target[] = []
  let walk = counted.walk
  for (let read = 0; walk && read < reader.limits.read && targets.length < room; ) {
    const part = await partOf(reader, of, walk, room - targets.length)
    for (const target of part.targets) targets.push(target)
    read += part.read
    walk = part.next
  }
  return { targets, next: walk && { walk } }
}

async function partOf(
  reader: PostsReader,
  of: PostsOf,
  walk: Walk,
  room: number,
): Promise<{ targets: Target[]; next: Walk | undefined; read: number }> {
  const list = listOf(walk, of.id)
  const { items, hasMore } = await readPart(
    reader,
    of.id,
    walk,
    walk.list === 'category' ? room : READ_AT_ONCE,
  )
  const found = items.filter(item => isShown(of, item))
  const last = found.length > room ? found[room - 1] : items.at(-1)
  const taken = found.slice(0, room)
  const targets = taken.map((item): Target => ({ kind: 'post', type: item.content_type, id: item.id }))
  const order = last && orderOf(last, list)
  // What was added after the last counted one has its own rows.
  const isPast = order !== undefined && walk.until !== undefined && compareOrder(order, walk.until) <= 0
  const isOver = isPast || (!hasMore && found.length <= room)
  const next: Walk | undefined = isOver
    ? after(walk)
    : { ...walk, ...(order !== undefined && { after: order }) }
  return { targets, next, read: items.length }
}

function after({ list }: Walk): Walk | undefined {
  return list === 'pages' ? undefined : { list: 'pages' }
}
