// Checks what depends on several records: the numbers of counters, and the parts of large texts and of the
// segments of the search index.
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { readIndexState } from '../../../shared/search/index-state.ts'
import { type Action, exists, ignoreConditionFailed } from '../../../shared/table/action.ts'
import { BlobRef } from '../../../shared/table/blob.ts'
import type { Table } from '../../../shared/table/client.ts'
import {
  blobIn,
  blobPartKey,
  type Item,
  type Key,
  kindOf,
  LEFTOVER_PARTITION,
  nameIn,
  segmentItemKey,
  userKey,
  webhooksOwnedKey,
} from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import { labelOf } from '../record-types.ts'
import { digestOf, keyOf, type Problem } from './compare.ts'

const TEXT = 'CHUNK' satisfies Kind
const SEGMENT = 'SEGMENT' satisfies Kind
const AUTHOR = 'AUTHOR' satisfies Kind
const CATEGORIES = 'CATEGORYTOTALS' satisfies Kind
const WEBHOOKS = 'SUBSCRIPTIONS' satisfies Kind

type Numbers = Record<string, number>

type Count = {
  /** The key of the item that has the numbers, or that is stored in parts. */
  key: Key
  expected: Numbers
  found: Numbers
  /** Changes with each record that adds to it. */
  versions: number
  /** Those that are stored. */
  parts: Key[]
  /** The record that refers to the large text, as the output names it. */
  label: string
}

export type Counts = ReturnType<typeof openCounts>

export function openCounts() {
  const counts = new Map<string, Count>()
  const at = (key: Key): Count => {
    const text = `${key.pk} ${key.sk}`
    const none = { key: keyOf(key), expected: {}, found: {}, versions: 0, parts: [], label: '' }
    const count = counts.get(text) ?? none
    counts.set(text, count)
    return count
  }
  /** `counted`: what the record adds, with the key of the item that counts it. */
  const expect = (counted: Item, record: Item): Count => {
    const count = at(counted)
    addTo(count.expected, numbersOf(counted))
    count.versions += digestOf(record, ['pk', 'sk', 'revision', 'version']) % 2 ** 32
    return count
  }
  const add = (item: Item): void => {
    const kind = kindOf(item.pk)
    const { data: blob } = BlobRef.safeParse(item.blob)
    if (blob) {
      const text = expect({ ...wholeOf(blobPartKey(blob.name, 0)), parts: blob.parts }, item)
      text.label = labelOf(item) ?? `${item.pk} ${item.sk}`
    }
    if (kind === TEXT || kind === SEGMENT) {
      const count = at(wholeOf(item))
      addTo(count.found, { parts: 1 })
      count.parts.push(keyOf(item))
    }
    const isCounter = kind === CATEGORIES || kind === WEBHOOKS || item.sk === webhooksOwnedKey(0).sk
    if (isCounter) at(item).found = numbersOf(item)
    // What is left of an erased author has no id.
    if (kind === AUTHOR && item.id !== undefined) {
      at(item).found = { public_posts: Number(item.public_posts ?? 0) }
    }
  }
  return { expect, add, at, wrong: () => [...counts.values()].filter(count => differing(count).length > 0) }
}

/** A large text or a segment, by the key of its parts without their numbers. */
function wholeOf({ pk, sk }: Key): Key {
  return { pk: blobIn(pk), sk }
}

function numbersOf(item: object): Numbers {
  const members = Object.entries<unknown>({ ...item })
  return Object.fromEntries(
    members.flatMap(([name, value]) => (typeof value === 'number' ? [[name, value]] : [])),
  )
}

function addTo(sums: Numbers, numbers: Numbers): void {
  for (const [name, value] of Object.entries(numbers)) sums[name] = (sums[name] ?? 0) + value
}

function differing({ expected, found }: Count): string[] {
  const names = new Set([...Object.keys(found), ...Object.keys(expected)])
  return [...names].sort().filter(name => (found[name] ?? 0) !== (expected[name] ?? 0))
}

const MAX_PASSES = 3

/**
 * What two passes found alike existed at the moment between them. What changes during each of several passes
 * is not checked, and reported as such.
 */
export async function checkCounts(
  table: Table,
  { first, passAgain }: { first: Counts; passAgain: () => Promise<Counts> },
  repair: boolean,
): Promise<Problem[]> {
  const same: Count[] = []
  let unsure = await withoutKnown(table, first.wrong())
  for (let pass = 0; pass < MAX_PASSES && unsure.length > 0; pass++) {
    const after = await passAgain()
    const pairs = unsure.map(before => ({ count: after.at(before.key), before }))
    for (const { count, before } of pairs) if (isDeepStrictEqual(count, before)) same.push(count)
    unsure = pairs.flatMap(({ count }) =>
      differing(count).length > 0 && !same.includes(count) ? [count] : [],
    )
  }
  const wrong = await withoutKnown(table, same)
  for (const count of repair ? wrong : []) await correct(table, count)
  const message = 'could not be checked, because it changed all the time. Run the doctor again.'
  return [
    ...wrong.map(count => ({ ...reportOf(count), isRepaired: repair && !isLost(count) })),
    ...unsure.map(count => ({ ...reportOf(count), message, isRepaired: false })),
  ]
}

const LeftoverRow = z.object({ name: z.string() })

/**
 * Leaves out texts that the sweep will delete, segments that are live, being written or waiting for deletion,
 * and what is left of erased users.
 */
async function withoutKnown(table: Table, counts: Count[]): Promise<Count[]> {
  if (counts.length === 0) return []
  const leftovers = await table.query({ pk: LEFTOVER_PARTITION }, LeftoverRow)
  const { building = [], segments = [], obsolete = [] } = (await readIndexState(table)).manifest ?? {}
  const written = [...segments, ...obsolete.flatMap(({ segments }) => segments)].map(({ name }) => name)
  const known = new Set([
    ...leftovers.map(({ name }) => wholeOf(blobPartKey(name, 0)).pk),
    ...[...building, ...written].map(name => wholeOf(segmentItemKey(name, 0)).pk),
  ])
  const userKeys = new Map(counts.flatMap(userOf).map(key => [key.pk, key]))
  const users = await table.findMany([...userKeys.values()])
  const existing = new Set(users.map(({ pk }) => pk))
  return counts.filter(count => {
    const isOfMissingUser = userOf(count).some(({ pk }) => !existing.has(pk))
    return !known.has(count.key.pk) && !isOfMissingUser
  })
}

/** The user whose number it is, if any. */
function userOf({ key: { pk } }: Count): Key[] {
  const isOfUser = kindOf(pk) === AUTHOR || kindOf(pk) === ('WEBHOOK' satisfies Kind)
  return isOfUser ? [userKey(Number(nameIn(pk)))] : []
}

function isInParts({ key: { pk } }: Count): boolean {
  return [TEXT, SEGMENT].some(kind => kind === kindOf(pk))
}

/** The parts are stored nowhere else. */
function isLost(count: Count): boolean {
  return isInParts(count) && (count.expected.parts ?? 0) > 0
}

function reportOf(count: Count): Pick<Problem, 'subject' | 'message'> {
  const { key, label, expected, found, parts } = count
  const [kind, name] = [kindOf(key.pk), nameIn(key.pk)]
  if (isLost(count)) {
    const { parts: all = 0 } = expected
    const message = `${all - parts.length} of the ${all} parts of its large text are missing. It cannot be restored.`
    return { subject: label, message }
  }
  if (isInParts(count)) {
    const subject = `${kind === TEXT ? 'large text' : 'search segment'} ${name}`
    return { subject, message: `nothing refers to it, but ${parts.length} parts of it are stored.` }
  }
  const differences = differing(count).map(
    name => `${name} is ${found[name] ?? 0}, but must be ${expected[name] ?? 0}`,
  )
  const subject = { [CATEGORIES]: 'categories', [WEBHOOKS]: 'webhooks' }[kind] ?? `user ${name}`
  return { subject, message: `${differences.join('; ')}.` }
}

/** Adds what is missing, as the service does, so that what it has added in the meantime stays counted. */
async function correct(table: Table, count: Count): Promise<void> {
  if (isLost(count)) return
  if (isInParts(count)) return await table.removeMany(count.parts)
  const { key: Key, expected, found } = count
  const isOfCategories = kindOf(Key.pk) === CATEGORIES
  const names = differing(count)
  const added = names.map((name, n) => [`:n${n}`, (expected[name] ?? 0) - (found[name] ?? 0)])
  const Update = {
    Key,
    // By the revision caches notice the change.
    UpdateExpression: `${isOfCategories ? 'SET revision = :revision ' : ''}ADD ${names.map((_, n) => `#n${n} :n${n}`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name, n) => [`#n${n}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(added),
      ...(isOfCategories && { ':revision': randomUUID() }),
    },
  }
  const guard: Action[] = userOf(count).map(Key => ({ ConditionCheck: { Key, ...exists } }))
  // A transaction that is sent again adds once. The user may be erased since.
  await table.transact([...guard, { Update }]).catch(ignoreConditionFailed)
}
