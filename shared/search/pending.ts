// Changes of posts that the segments may not contain yet. No I/O.

/** `left`: the post left public view. `unread`: the worker has yet to read its words, which are many. */
export type MarkerState = 'changed' | 'left' | 'unread'
/** A change of a post. `previous`: the revision of the document that it replaced. */
export type Marker = { id: number; revision: number; previous: number | undefined; state: MarkerState }

/** `newest` is the state of the post; `merged` is the revision of the document that the segments contain. */
export type PendingPost = { id: number; markers: Marker[]; newest: Marker; merged: number | undefined }

/** The posts whose newest marker is not merged. */
export function pendingPosts(markers: Marker[], merged: Map<number, number>): PendingPost[] {
  const open = markers.filter(({ id, revision }) => revision > (merged.get(id) ?? 0))
  return [...Map.groupBy(open, ({ id }) => id)].flatMap(([id, ofPost]) => {
    const sorted = ofPost.toSorted((a, b) => a.revision - b.revision)
    const [oldest, newest] = [sorted[0], sorted.at(-1)]
    return oldest && newest ? [{ id, markers: sorted, newest, merged: oldest.previous }] : []
  })
}

/** The markers that can be deleted: the segments contain their post at this revision or a later one. */
export function mergedMarkers(markers: Marker[], merged: Map<number, number>): Marker[] {
  return markers.filter(({ id, revision }) => revision <= (merged.get(id) ?? 0))
}
