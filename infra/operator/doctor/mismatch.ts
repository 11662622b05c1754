// An item that is missing, different or unexpected, and the problem that the doctor reports for it.
import { isDeepStrictEqual } from 'node:util'
import type { Item, Key } from '../../../shared/table/key.ts'
import type { RecordType } from '../record-type.ts'
import { type ExpectedItem, isEntry } from './expected-items.ts'
import type { Problem } from './problem.ts'

export type Mismatch = {
  key: Key
  expected: ExpectedItem | undefined
  found: Item | undefined
  otherOwner: OtherOwner | undefined
}

/** Another record that the found item names as its owner. */
export type OtherOwner = {
  key: Key
  record: Item | undefined
  label: string
  /** The found item is correct for that record. */
  expectsIt: boolean
}

export function isRepairable({ expected, otherOwner }: Mismatch): boolean {
  return !expected?.isIrreplaceable && !otherOwner?.expectsIt
}

/** A record as it was read; undefined where there is none. */
export type CheckedRecord = { type: RecordType; key: Key; record: Item | undefined }

export function problemOf(
  { type, key, record }: CheckedRecord,
  mismatch: Mismatch,
  isRepaired: boolean,
): Problem {
  const different = differencesIn(mismatch)
  return {
    subject: type.labelOf(key),
    message: messageOf(type, record !== undefined, mismatch, Object.keys(different)),
    key: mismatch.key,
    ...(Object.keys(different).length > 0 && { different }),
    isRepaired,
  }
}

function messageOf(
  type: RecordType,
  exists: boolean,
  { key, expected, found, otherOwner }: Mismatch,
  different: string[],
): string {
  const name = type.nameOf(key)
  if (!expected) return exists ? `has an unexpected ${name}.` : `does not exist, but its ${name} does.`
  if (otherOwner?.expectsIt) {
    return `its ${name} belongs to ${otherOwner.label}, which needs it as well. Change one of them.`
  }
  const lost = expected.isIrreplaceable ? ' It cannot be restored.' : ''
  return found ? `its ${name} is wrong in ${different.join(', ')}.${lost}` : `its ${name} is missing.${lost}`
}

/** The report contains no other members of what is stored. */
function differencesIn({ expected, found }: Mismatch): Problem['different'] & object {
  if (!expected || !found) return {}
  const [right, is] = [membersOf(expected.item), membersOf(found)]
  const names = expected.compared ?? Object.keys(right)
  return Object.fromEntries(
    names
      .filter(name => !isDeepStrictEqual(right[name], is[name]))
      .map(name => [name, { expected: right[name], found: is[name] }]),
  )
}

/** The attributes of an item. For a list entry: the attributes of the listed item. */
function membersOf(item: Item): Record<string, unknown> {
  const { pk: _, sk: __, ...members } = item
  return isEntry(item) ? { ...Object(members.item) } : members
}
