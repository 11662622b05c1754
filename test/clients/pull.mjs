// Keeps a copy of all public posts and pages: the first time it walks the lists, later it asks for what has changed.
// CURSOR, of the hook that started the build, takes the place of the copy's own.
const { API = 'http://127.0.0.1:3000', CURSOR } = process.env

async function get(path, query) {
  const response = await fetch(`${API}/api/v1/${path}?${new URLSearchParams(query)}`)
  const answer = await response.json()
  if (!answer.success && response.status !== 410) throw new Error(`GET ${path}: ${answer.message}`)
  return answer
}

/** Brings `copy`, which has `set`, `delete` and `clear`, up to date. Returns the cursor for the next call. */
export async function pull(copy, cursor) {
  return (cursor && (await applyChanges(copy, CURSOR || cursor))) || (await walk(copy))
}

/** The cursor is taken first, so that a change during the walk comes after it. */
async function walk(copy) {
  const { cursor } = await get('changes')
  copy.clear()
  for (const list of ['posts', 'pages']) {
    for (let after; after !== null; ) {
      const page = await get(list, { include: 'body', per_page: 100, ...(after && { after }) })
      for (const post of page.data) copy.set(post.id, post)
      after = page.cursor.next
    }
  }
  return cursor.next
}

/** Returns nothing if the copy must be made from the start: the cursor is too old, or too much has changed. */
async function applyChanges(copy, since) {
  const { success, data, cursor } = await get('changes', { include: 'body', limit: 100, since })
  if (!success || data.some(({ type }) => type === 'all')) return
  for (const { id, change, item } of data.filter(({ type }) => type === 'post' || type === 'page')) {
    if (change === 'upserted') {
      copy.set(id, item)
    } else {
      copy.delete(id)
    }
  }
  return cursor.more ? applyChanges(copy, cursor.next) : cursor.next
}
