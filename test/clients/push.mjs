// Creates posts in batches, from a file with one JSON object a line: node push.mjs posts.jsonl
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

const { API = 'http://127.0.0.1:3000', TOKEN } = process.env
/** What one batch takes: 25 operations, and 2 MiB. */
const [MOST, MOST_BYTES] = [25, 2_000_000]

function* batchesOf(posts) {
  let operations = []
  let bytes = 0
  for (const body of posts) {
    const size = Buffer.byteLength(JSON.stringify(body)) + 100
    if (operations.length === MOST || (operations.length > 0 && bytes + size > MOST_BYTES)) {
      yield operations
      operations = []
      bytes = 0
    }
    operations.push({ method: 'POST', path: '/api/v1/admin/posts', body })
    bytes += size
  }
  if (operations.length > 0) yield operations
}

/** Until every operation has been started. The key makes it safe to send all of them again. */
async function send(operations) {
  const body = JSON.stringify({ operations })
  const headers = {
    Authorization: `Bearer ${TOKEN}`,
    'Idempotency-Key': createHash('sha256').update(body).digest('hex'),
  }
  for (;;) {
    const response = await fetch(`${API}/api/v1/admin/batch`, { method: 'POST', headers, body })
    const { success, message, data } = await response.json()
    const retryAfter = response.headers.get('retry-after')
    if (!success && retryAfter === null) throw new Error(message)
    if (success && !data.some(result => result.headers?.['retry-after'])) {
      await nextMinute(response)
      return data
    }
    await pause(1000 * Number(retryAfter ?? 1))
  }
}

/** Waits if this was the last request that the limit allows, so that none is refused. */
async function nextMinute({ headers }) {
  if (headers.get('x-ratelimit-remaining') !== '0') return
  await pause(Math.max(0, 1000 * Number(headers.get('x-ratelimit-reset')) - Date.now()))
}

const lines = (await readFile(process.argv[2], 'utf8')).split('\n').filter(line => line !== '')
const posts = lines.map(line => JSON.parse(line))
for (const operations of batchesOf(posts)) {
  const results = await send(operations)
  for (const [n, { status, body }] of results.entries()) {
    if (status !== 201) throw new Error(`${operations[n].body.title}: ${body.message}`)
  }
}
