// The check of one item while the service runs: it is compared with the records on which it depends, and
// repaired on condition that these are still as they were read.
import { isDeepStrictEqual } from 'node:util'
import { writeWithLists } from '../../../shared/lists/counted-list.ts'
import {
  type Action,
  CONFLICT,
  ConditionFailed,
  exists,
  isNew,
  setMembers,
} from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { type Item, type Key, nameIn, orderIn } from '../../../shared/table/design.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import type { Context } from '../command.ts'
import type { Dependent } from '../record-type.ts'
import { contentOf, differencesIn, keyText, type Problem } from './compare.ts'
import { type Owner, ownersOf, type Row } from './pass.ts'

/** What a record requires of an item. `record` is undefined where there is none. */
type Claim = Owner & { record: Item | undefined; isReadable: boolean; expected: Dependent | undefined }

/**
 * Reads the records before and after the item. The service writes all of them in one transaction, so if the
 * records did not change, everything that was read existed at one moment.
 */
export function checkRow(context: Context, { key, owners }: Row, repair: boolean): Promise<Problem[]> {
  const { table } = context.target
  return retryOnConflict(async () => {
    const named = ownersOf((await findRaw(table, key)) ?? key)
    const all = new Map([...owners, ...named].map(owner => [keyText(owner.key), owner]))
    const claims: Claim[] = []
    for (const owner of all.values()) claims.push(await claimOf(table, owner, key))
    const found = await findRaw(table, key)
    const problems = claims.flatMap(claim => {
      const message = messageOf(key, claim, claims, found)
      return message === undefined ? [] : [{ subject: claim.type.labelOf(claim.key), message }]
    })
    if (problems.length === 0 || (await isInDeletedList(table, key, claims))) return []
    for (const claim of claims) {
      if (!isUnchanged(claim, await findRaw(table, claim.key))) throw new ConditionFailed([CONFLICT])
    }
    // Another record may have taken it, or, of a deleted record, the service may be removing the rest.
    const isTaken = ownersOf(found ?? key).some(owner => !all.has(keyText(owner.key)))
    if (isTaken || (found && !(await findRaw(table, key)))) throw new ConditionFailed([CONFLICT])
    const expected = claims.flatMap(({ expected }) => expected ?? [])
    const isRepairable = expected.length < 2 && !expected.some(({ isIrreplaceable }) => isIrreplaceable)
    const isRepaired = repair && isRepairable
    if (isRepaired) await repairRow(context, key, claims, found)
    return problems.map(problem => ({ ...problem, isRepaired }))
  })
}

async function findRaw(table: Table, key: Key): Promise<Item | undefined> {
  return (await table.findMany([key]))[0]
}

async function claimOf(table: Table, owner: Owner, key: Key): Promise<Claim> {
  const record = await findRaw(table, owner.key)
  const expectation = record && (await owner.type.read(record, table))
  const expected = expectation?.dependents.find(({ item }) => keyText(item) === keyText(key))
  return { ...owner, record, isReadable: !record || expectation !== undefined, expected }
}

function isUnchanged({ type, record }: Claim, after: Item | undefined): boolean {
  return (
    (record === undefined) === (after === undefined) &&
    type.versionAttributes.every(name => isDeepStrictEqual(record?.[name], after?.[name]))
  )
}

/** The check of the list reports what is left of it. */
async function isInDeletedList(table: Table, { pk, sk }: Key, claims: Claim[]): Promise<boolean> {
  const list = orderIn(sk) === undefined ? undefined : claims[0]?.type.listOf(nameIn(pk))
  return list !== undefined && !list.fixed && (await findRaw(table, list.root)) === undefined
}

/** Names what differs, but shows nothing of what is stored. Undefined if nothing is wrong. */
function messageOf(key: Key, claim: Claim, claims: Claim[], found: Item | undefined): string | undefined {
  const { type, record, isReadable, expected } = claim
  const { name = 'item', compared, isOptional } = type.dependentAt(key) ?? {}
  const other = claims.find(one => one !== claim && one.expected)
  if (!isReadable) return undefined
  if (!expected) {
    if (!found || other || (record && isOptional?.(key))) return undefined
    return record ? `has an unexpected ${name}.` : `does not exist, but its ${name} does.`
  }
  const different = found && differencesOf(expected, found, compared)
  if (different?.length === 0) return undefined
  if (other) {
    return `its ${name} belongs to ${other.type.labelOf(other.key)}, which needs it as well. Change one of them.`
  }
  const lost = expected.isIrreplaceable ? ' It cannot be restored.' : ''
  return different
    ? `its ${name} is wrong in ${different.join(', ')}.${lost}`
    : `its ${name} is missing.${lost}`
}

/** For a list entry it compares the members of the listed item. */
export function differencesOf({ item, listEntry }: Dependent, found: Item, compared?: string[]): string[] {
  if (listEntry) return differencesIn(Object(item.item), Object(found.item))
  return differencesIn(contentOf(item, compared), found)
}

/** Writes list entries as the service does, so that counts stay exact. Throws ConditionFailed. */
async function repairRow(
  context: Context,
  key: Key,
  claims: Claim[],
  found: Item | undefined,
): Promise<void> {
  const { table } = context.target
  const guards = claims.map(ifUnchanged)
  const claim = claims.find(({ expected }) => expected) ?? claims[0]
  if (!claim) return
  const { type, expected } = claim
  const [list, order] = [type.listOf(nameIn(key.pk)), orderIn(key.sk)]
  if (list && order !== undefined) {
    const before = found ? [{ list, order, item: Object(found.item) }] : []
    const after = expected?.listEntry ? [expected.listEntry] : []
    return await writeWithLists(table, { before, after }, actions => table.transact([...guards, ...actions]))
  }
  const remove = claims.map(({ type }) => type.dependentAt(key)?.remove).find(remove => remove)
  if (!expected && remove && found) return await remove(context, found)
  await table.transact([
    ...guards,
    expected ? writeOf(expected, found, type.dependentAt(key)?.compared) : { Delete: { Key: key } },
  ])
}

function writeOf({ item }: Dependent, found: Item | undefined, compared: string[] | undefined): Action {
  if (found && compared) {
    // Others write the rest of it at any time.
    const { pk, sk, ...members } = item
    return { onConditionFailed: CONFLICT, Update: { Key: { pk, sk }, ...setMembers(members, exists) } }
  }
  return { onConditionFailed: CONFLICT, Put: { Item: item, ...(found ? {} : isNew) } }
}

/** The record is still as it was read, or still does not exist. */
function ifUnchanged({ type, key, record }: Claim): Action {
  if (!record) return { onConditionFailed: CONFLICT, ConditionCheck: { Key: key, ...isNew } }
  const names = ['pk', ...type.versionAttributes]
  return {
    onConditionFailed: CONFLICT,
    ConditionCheck: {
      Key: key,
      ConditionExpression: names.map((_, n) => `#n${n} = :v${n}`).join(' AND '),
      ExpressionAttributeNames: Object.fromEntries(names.map((name, n) => [`#n${n}`, name])),
      ExpressionAttributeValues: Object.fromEntries(names.map((name, n) => [`:v${n}`, record[name]])),
    },
  }
}
