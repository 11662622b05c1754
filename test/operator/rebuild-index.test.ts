// The search index: what the doctor reports and repairs, and the rebuild while the service runs.
import { beforeAll, describe, expect, it } from 'vitest'
import { search } from '../../shared/posts/search-contract.ts'
import { findDocuments } from '../../shared/search/documents.ts'
import { entriesOf } from '../../shared/search/entry.ts'
import { readIndexState } from '../../shared/search/index-state.ts'
import { type Manifest, saveManifest } from '../../shared/search/manifest.ts'
import { writeSegment } from '../../shared/search/segment-writer.ts'
import { docKey, segmentItemKey } from '../../shared/table/design.ts'
import { loadSite } from '../bench/load.ts'
import { openSite, type Site } from '../bench/site.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'
import { tableEditor } from './drifts.ts'
import { operatorOn } from './operator-world.ts'

type Problem = { subject: string }

/** Enough posts for the postings of common words to be stored in blocks, and for terms of prefixes. */
const MANY = 300

const site = openSite({ count: MANY, seed: 1 })
const manyAlike: Site = {
  ...site,
  post(id) {
    const generated = site.post(id)
    const title = `Common ${id % 2 === 0 ? 'even' : 'odd'} w${id}`
    const texts = { title, short_description: '', body: `<p>text ${id}</p>` }
    const state = { content_type: 'post', is_published: true, posted_at: 1_600_000_000 + id } as const
    return { ...generated, input: { ...generated.input, ...texts, ...state } }
  },
}

const world = useWorld({ isNew: true })
const operator = operatorOn(world)
const ids = Array.from({ length: MANY }, (_, n) => n + 1)
beforeAll(() => loadSite(world.table, manyAlike))

function indexed() {
  return until('the index', () => world.isIndexed())
}

async function find(q: string) {
  const { data } = await world.call(search.search, { query: { q, per_page: 50 } })
  return { total: data.total, ids: data.posts.map(({ id }) => id) }
}

function findAll() {
  return Promise.all(['common', 'co', 'even', 'w12 common', 'text', 'unused'].map(find))
}

async function manifest(): Promise<Manifest> {
  const { manifest } = await readIndexState(world.table)
  if (!manifest) throw new Error('There is no manifest.')
  return manifest
}

async function report(...options: string[]): Promise<string[]> {
  const { out } = await operator.run(['doctor', ...options, '--json'])
  const { problems } = JSON.parse(out)
  return problems.map(({ subject }: Problem) => subject).sort()
}

describe('doctor', () => {
  it('repairs missing and outdated documents, after which searches have the same hits as before', async () => {
    const { remove, put } = tableEditor(world)
    const before = await findAll()
    const [first = 0, second = 0, third = 0] = ids
    const [, other] = await world.table.findMany([docKey(second), docKey(third)])
    await remove(docKey(first))
    await put({ ...other, ...docKey(second) })
    const { code, out } = await operator.run(['doctor'])
    expect(code).toBe(1)
    expect(out).toContain(`post ${first}: the search index is out of date`)
    expect(await report('--repair')).toEqual([`post ${first}`, `post ${second}`])
    await indexed()
    expect(await report()).toEqual([])
    expect(await findAll()).toEqual(before)
  })

  it('rebuilds an index of which a segment has lost an item or has other words than the posts, and removes what a killed run left', async () => {
    const before = await findAll()
    const [segment] = (await manifest()).segments
    if (!segment) throw new Error('There is no segment.')
    await world.table.removeMany([segmentItemKey(segment.name, segment.items - 1)])
    expect(await report()).toEqual([`search segment ${segment.name}`])
    await report('--repair')

    const current = await manifest()
    const [[doc] = []] = [[...(await findDocuments(world.table, ids.slice(0, 1))).values()]]
    if (!doc) throw new Error('There is no document.')
    const entries = entriesOf([{ before: undefined, after: { ...doc, body: ['planted'] } }])
    const planted = await writeSegment(world.table, 'planted', entries)
    await saveManifest(world.table, current, { ...current, segments: [...current.segments, planted] })
    // A run that was killed leaves a segment.
    await world.table.putMany([{ ...segmentItemKey('killed', 0), bytes: Uint8Array.of(1) }])
    expect(await report()).toEqual([`post ${doc.id}`, 'search segment killed'])
    await report('--repair')
    expect(await report()).toEqual([])
    expect(await findAll()).toEqual(before)
  })
})

describe('doctor --repair --index', () => {
  it('keeps the hits of searches, and prints the number of posts', async () => {
    const before = await findAll()
    const { code, out } = await operator.run(['doctor', '--repair', '--index'])
    expect(out).toMatch(new RegExp(`^Indexed ${MANY} posts and pages\\.\\n`))
    expect(code).toBe(0)
    expect(await findAll()).toEqual(before)
    expect(await operator.json(['doctor'])).toMatchObject({ wrong: 0 })
  })
})
