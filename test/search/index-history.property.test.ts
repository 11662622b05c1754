// Compares searches with a plain scan after random changes of posts, at any stage of the merges of the index.
// The check finds each fault that is planted here.
import { describe, expect, it } from 'vitest'
import { checkRandom } from '../support/property.ts'
import { checkHistory, FEW_UNITS, type Tables } from './index-history.ts'
import { type Content, historiesOf, type Step } from './index-steps.ts'
import {
  itemsWrittenLast,
  laterMarkers,
  markersRemovedFirst,
  otherMarkers,
  segmentsRemovedFirst,
} from './planted-tables.ts'

function content(...title: string[]): Content {
  return { title, short: [], body: [], posted_at: 1, is_page: false, category_ids: [1] }
}

const RUN_THAT_ENDS = { killBefore: 100 }

/** An edit and a deletion of merged posts, and so many merges that segments are merged, too. */
const HISTORY: Step[] = [
  { id: 1, content: content('ab') },
  { id: 2, content: content('ab', 'zz') },
  RUN_THAT_ENDS,
  { id: 1, content: content('ba') },
  { remove: 2 },
  RUN_THAT_ENDS,
  'later',
  ...[3, 4, 5, 6, 7, 8, 9, 10].flatMap(id => [
    { id, content: content('abc') },
    RUN_THAT_ENDS,
    'later' as const,
  ]),
]

/** Edits of a merged post and of one that no segment contains, after more additions than searches read. */
const EDITS_BEHIND_ADDITIONS: Step[] = [
  { id: 1, content: content('ab', 'zz') },
  RUN_THAT_ENDS,
  { id: 2, content: content('ab', 'zz') },
  ...[3, 4, 5, 6, 7, 8, 9].map(id => ({ id, content: content('abc', 'zz') })),
  { id: 2, content: content('ba') },
  { id: 1, content: content('ba') },
  'search',
]

const FAULTS: [string, Tables, string][] = [
  [
    'an edit whose marker does not say that it replaced words',
    { writer: otherMarkers(({ previous, ...marker }) => marker) },
    'to deeply equal',
  ],
  ['a change without a marker', { writer: otherMarkers(() => undefined) }, 'to deeply equal'],
  [
    'a marker that is deleted before its post is in a segment',
    { worker: markersRemovedFirst },
    'to deeply equal',
  ],
  [
    'a marker that is deleted while a search still uses the manifest of before',
    { reader: laterMarkers([0, 12_000]) },
    'to deeply equal',
  ],
  ['a segment that is live before its items are written', { worker: itemsWrittenLast }, 'kept changing'],
  ['a segment that is deleted before its merge is live', { worker: segmentsRemovedFirst }, 'kept changing'],
]

describe('the check of searches', () => {
  it('accepts the history without a fault', async () => {
    await checkHistory(HISTORY)
    await checkHistory(EDITS_BEHIND_ADDITIONS, {}, FEW_UNITS)
  })

  it.each(FAULTS)('finds %s', async (_fault, tables, message) => {
    await expect(checkHistory(HISTORY, tables)).rejects.toThrow(message)
  })

  it('finds edited posts that searches do not hide beyond the documents that they read', async () => {
    const writer = otherMarkers(({ previous, ...marker }) => ({ ...marker, added_ms: 0 }))
    await expect(checkHistory(EDITS_BEHIND_ADDITIONS, { writer }, FEW_UNITS)).rejects.toThrow(
      'to deeply equal',
    )
  })
})

const TIME_MS = 1_000

describe('a search', () => {
  it('has the hits of a plain scan after any changes, merged or not', () =>
    checkRandom(historiesOf(10, 50), steps => checkHistory(steps), TIME_MS))

  it('has only right hits and totals if more is pending than it reads', () =>
    checkRandom(historiesOf(10, 50), steps => checkHistory(steps, {}, FEW_UNITS), TIME_MS))

  it('has the hits of a plain scan if the worker runs while it reads', () =>
    checkRandom(historiesOf(5, 15), steps => checkHistory(steps, { reader: laterMarkers([0]) }), TIME_MS))
})
