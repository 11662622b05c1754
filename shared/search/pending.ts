// Changes of posts that the segments may not contain yet. No I/O.

export type Marker = {
  id: number
  revision: number
  /** The revision of the document that it replaced. */
  previous?: number | undefined
  /** `left`: it left public view. `due`: a scheduled post whose time has come, until it is announced. */
  state: 'changed' | 'left' | 'due'
  /** The read units of its document and of the replaced one. */
  units: number
  previous_units: number
  /** When an addition was written; missing if it replaced a document. */
  added_ms?: number | undefined
}

/** `newest` is the state of the post; `merged` is the revision of the document that the segments contain. */
export type PendingPost = {
  id: number
  markers: Marker[]
  newest: Marker
  merged: number | undefined
  /** The read units of the documents that a search looks through. */
  units: number
}

/** The posts whose newest marker is not merged. */
export function pendingPosts(markers: Marker[], merged: Map<number, number>): PendingPost[] {
  const open = markers.filter(
    ({ id, revision, state }) => state === 'due' || revision > (merged.get(id) ?? 0),
  )
  return [...Map.groupBy(open, ({ id }) => id)].flatMap(([id, ofPost]) => {
    const sorted = ofPost.toSorted((a, b) => a.revision - b.revision)
    const [oldest, newest] = [sorted[0], sorted.at(-1)]
    if (!oldest || !newest) return []
    const ofNewest = newest.state === 'left' ? 0 : newest.units
    const ofMerged = oldest.previous === undefined ? 0 : oldest.previous_units
    return [{ id, markers: sorted, newest, merged: oldest.previous, units: ofNewest + ofMerged }]
  })
}

/** Half of what a search looks through, so that a burst during a merge is found as well. */
const WAITING_UNITS = 100
const LONGEST_WAIT_MS = 30_000

/**
 * Whether all of them are additions that searches find while they wait: few, and not for long. Edits and
 * removals cost each search more.
 */
export function canWait(pending: PendingPost[], nowMs: number): boolean {
  const units = pending.reduce((sum, post) => sum + post.units, 0)
  return units < WAITING_UNITS && pending.every(post => isNewAddition(post, nowMs))
}

/** An addition that seems to be far in the future was written by a wrong clock. */
function isNewAddition({ markers, newest }: PendingPost, nowMs: number): boolean {
  return (
    newest.state === 'changed' &&
    markers.every(({ added_ms }) => added_ms !== undefined && Math.abs(nowMs - added_ms) < LONGEST_WAIT_MS)
  )
}

/** What a search reads of the pending posts. */
type PendingReads = {
  /** It looks through their documents. */
  posts: PendingPost[]
  /** The segments may contain these posts with words that they no longer have. */
  hidden: Set<number>
}

/** At most `maxUnits` of documents: those of edits and removals, then those of the newest additions. */
export function planPendingReads(pending: PendingPost[], maxUnits: number): PendingReads {
  const hidden = new Set<number>()
  let units = 0
  const addedAt = ({ newest }: PendingPost) => newest.added_ms ?? Number.MAX_SAFE_INTEGER
  const posts = pending
    .toSorted((a, b) => addedAt(b) - addedAt(a))
    .filter(post => {
      const fits = units + post.units <= maxUnits
      if (fits) {
        units += post.units
      } else if (post.merged !== undefined) {
        hidden.add(post.id)
      }
      return fits
    })
  return { posts, hidden }
}
