// Checks the numbers that are counted beside records: all categories, subscriptions of users and of events. The
// service adds to them in the transaction of the record.
import { randomUUID } from 'node:crypto'
import { CategoryRecord, totalsOf } from '../../../shared/categories/category.ts'
import { countsOf, wantedCopies } from '../../../shared/events/wanted.ts'
import { exists, ignoreConditionFailed } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import {
  categoryTotalsKey,
  type Item,
  type Key,
  kindOf,
  nameIn,
  webhooksOwnedKey,
} from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import { WebhookRecord, wantedBy } from '../../../shared/webhooks/webhook.ts'
import { digestOf, keyOf, keyText, type Problem } from './expectations.ts'

/** What a record adds to each of its counters. */
function addedBy(item: Item): Item[] {
  const kind = kindOf(item.pk)
  const { data: category } = kind === ('CATEGORIES' satisfies Kind) ? CategoryRecord.safeParse(item) : {}
  if (category) return [{ ...categoryTotalsKey, ...totalsOf([category]) }]
  const { data: webhook } = kind === ('WEBHOOK' satisfies Kind) ? WebhookRecord.safeParse(item) : {}
  if (!webhook) return []
  const wanted = wantedCopies(countsOf([wantedBy(webhook)]))
  return [{ ...webhooksOwnedKey(webhook.owner_id), owned: 1 }, ...wanted]
}

type Numbers = Record<string, number>

/** The numbers of a counter; undefined for another item. */
function numbersIn(item: Item): Numbers | undefined {
  switch (kindOf(item.pk)) {
    case 'WEBHOOK' satisfies Kind:
      return item.sk === webhooksOwnedKey(0).sk ? numbersOf(item) : undefined
    case 'CATEGORYTOTALS' satisfies Kind:
    case 'SUBSCRIPTIONS' satisfies Kind:
      return numbersOf(item)
  }
}

function numbersOf(item: object): Numbers {
  const members = Object.entries<unknown>({ ...item })
  return Object.fromEntries(
    members.flatMap(([name, value]) => (typeof value === 'number' ? [[name, value]] : [])),
  )
}

export type ScanAgain = (add: (item: Item) => void) => Promise<void>

type Counter = {
  key: Key
  expected: Numbers
  found: Numbers
  /** Changes with each record that adds to the counter. */
  versions: number
}

export type Totals = ReturnType<typeof openTotals>

/** What a scan has counted, by the text of the counter's key. */
export function openTotals() {
  const counters = new Map<string, Counter>()
  const counterOf = (key: Key): Counter => {
    const known = counters.get(keyText(key))
    return known ?? { key: keyOf(key), expected: {}, found: {}, versions: 0 }
  }
  const add = (item: Item): void => {
    for (const added of addedBy(item)) {
      const counter = counterOf(added)
      for (const [name, value] of Object.entries(numbersOf(added))) {
        counter.expected[name] = (counter.expected[name] ?? 0) + value
      }
      counter.versions += digestOf(item, ['pk', 'sk', 'revision', 'version']) % 2 ** 32
      counters.set(keyText(added), counter)
    }
    const found = numbersIn(item) ?? {}
    if (Object.values(found).some(value => value !== 0)) {
      counters.set(keyText(item), { ...counterOf(item), found })
    }
  }
  const suspects = (): Key[] => {
    const wrong = [...counters.values()].filter(
      ({ expected, found }) => differing(expected, found).length > 0,
    )
    return wrong.map(({ key }) => key)
  }
  return { add, suspects, counterOf }
}

const MAX_ROUNDS = 3

/** A counter whose records change during each of several scans is not checked, and reported as such. */
export async function checkTotals(
  table: Table,
  { first, keys, scanAgain }: { first: Totals; keys: Key[]; scanAgain: ScanAgain },
  repair: boolean,
): Promise<Problem[]> {
  const problems: Problem[] = []
  let before = first
  let unchecked = keys
  for (let round = 0; round < MAX_ROUNDS && unchecked.length > 0; round++) {
    const checked = await checkOnce(table, { before, keys: unchecked, scanAgain }, repair)
    for (const problem of checked.problems) problems.push(problem)
    before = checked.after
    unchecked = checked.changed
  }
  const message = 'could not be checked, because it changed all the time. Run the doctor again.'
  return [...problems, ...unchecked.map(key => ({ subject: labelOf(key), message, isRepaired: false }))]
}

/**
 * The counters are read between two scans. If no record of a counter has changed from one to the other, all
 * existed at that moment. `changed`: the wrong ones of which this is not known.
 */
async function checkOnce(
  table: Table,
  { before, keys, scanAgain }: { before: Totals; keys: Key[]; scanAgain: ScanAgain },
  repair: boolean,
): Promise<{ problems: Problem[]; after: Totals; changed: Key[] }> {
  const items = new Map((await table.findMany(keys)).map(item => [keyText(item), item]))
  const wrong = keys.flatMap(key => {
    const item = items.get(keyText(key))
    const found = (item && numbersIn(item)) ?? {}
    const isWrong = differing(before.counterOf(key).expected, found).length > 0
    return isWrong ? [{ key, item, found }] : []
  })
  const problems: Problem[] = []
  const changed: Key[] = []
  if (wrong.length === 0) return { problems, after: before, changed }
  const after = openTotals()
  await scanAgain(after.add)
  for (const { key, item, found } of wrong) {
    const { expected, versions } = after.counterOf(key)
    if (before.counterOf(key).versions !== versions) {
      changed.push(key)
      continue
    }
    const differences = differing(expected, found).map(name => ({
      name,
      is: item?.[name],
      must: expected[name] ?? 0,
    }))
    if (repair) await correct(table, key, differences, item !== undefined)
    const parts = differences.map(({ name, is = 'missing', must }) => `${name} is ${is}, but must be ${must}`)
    problems.push({ subject: labelOf(key), message: `${parts.join('; ')}.`, isRepaired: repair })
  }
  return { problems, after, changed }
}

function differing(expected: Numbers, found: Numbers): string[] {
  const names = new Set([...Object.keys(found), ...Object.keys(expected)])
  return [...names].sort().filter(name => (found[name] ?? 0) !== (expected[name] ?? 0))
}

/** Adds what is missing, as the service does, so that what it has added in the meantime stays counted. */
async function correct(
  table: Table,
  Key: Key,
  differences: { name: string; is: unknown; must: number }[],
  isThere: boolean,
): Promise<void> {
  const isOfCategories = kindOf(Key.pk) === ('CATEGORYTOTALS' satisfies Kind)
  // By the revision caches notice the change.
  const revision = isOfCategories ? { ':revision': randomUUID() } : {}
  const added = differences.map(({ is, must }, n) => [`:n${n}`, must - Number(is ?? 0)])
  const terms = differences.map((_, n) => `#n${n} :n${n}`).join(', ')
  const Update = {
    Key,
    UpdateExpression: `ADD ${terms}${isOfCategories ? ' SET revision = :revision' : ''}`,
    ExpressionAttributeNames: Object.fromEntries(differences.map(({ name }, n) => [`#n${n}`, name])),
    ExpressionAttributeValues: { ...revision, ...Object.fromEntries(added) },
  }
  // A transaction that is sent again adds once. What was there and is not was erased in the meantime.
  await table.transact([{ Update: { ...Update, ...(isThere && exists) } }]).catch(ignoreConditionFailed)
}

function labelOf({ pk }: Key): string {
  const kind = kindOf(pk)
  if (kind === ('CATEGORYTOTALS' satisfies Kind)) return 'categories'
  return kind === ('SUBSCRIPTIONS' satisfies Kind) ? 'webhooks' : `user ${nameIn(pk)}`
}
