// Something that hangs on a record and is missing, different or too much; and how that is said.
import { isDeepStrictEqual } from 'node:util'
import type { Item, Key } from '../../../shared/table/key.ts'
import type { RecordType } from '../record-type.ts'
import type { Finding } from './finding.ts'
import { type ExpectedItem, isEntry } from './record.ts'

export type Fault = {
  key: Key
  wanted: ExpectedItem | undefined
  found: Item | undefined
  /** Another record, on which what was found says that it hangs. */
  rival: Rival | undefined
}
export type Rival = {
  key: Key
  record: Item | undefined
  label: string
  /** What was found is right for that one. */
  isRightful: boolean
}

export function isMendable({ wanted, rival }: Fault): boolean {
  return !wanted?.isIrreplaceable && !rival?.isRightful
}

type About = { slice: RecordType; key: Key; record: Item | undefined }

export function findingOf({ slice, key, record }: About, fault: Fault, isMended: boolean): Finding {
  const different = differencesOf(fault)
  return {
    where: slice.labelOf(key),
    says: wordsOf(slice, record !== undefined, fault, Object.keys(different)),
    key: fault.key,
    ...(Object.keys(different).length > 0 && { different }),
    isMended,
  }
}

function wordsOf(
  slice: RecordType,
  isThere: boolean,
  { key, wanted, found, rival }: Fault,
  different: string[],
): string {
  const name = slice.nameOf(key)
  if (!wanted) return isThere ? `has a wrong ${name}.` : `does not exist, but its ${name} does.`
  if (rival?.isRightful) {
    return `its ${name} is that of ${rival.label}, which asks for it too: change one of them.`
  }
  const lost = wanted.isIrreplaceable ? ' It cannot be made again.' : ''
  return found ? `its ${name} is wrong in ${different.join(', ')}.${lost}` : `its ${name} is missing.${lost}`
}

/** By member; nothing else of what is kept is shown. */
function differencesOf({ wanted, found }: Fault): Finding['different'] & object {
  if (!wanted || !found) return {}
  const [expected, is] = [membersOf(wanted.item), membersOf(found)]
  const names = Object.keys(wanted.check === 'whole' ? { ...expected, ...is } : expected)
  return Object.fromEntries(
    names
      .filter(name => !isDeepStrictEqual(expected[name], is[name]))
      .map(name => [name, { expected: expected[name], found: is[name] }]),
  )
}

/** What an item says: of an entry, what the list shows. */
function membersOf(item: Item): Record<string, unknown> {
  const { pk: _, sk: __, ...members } = item
  return isEntry(item) ? { ...Object(members.item) } : members
}
