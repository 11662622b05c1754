// Something that hangs on a record and is missing, different or too much; and how that is said.
import { isDeepStrictEqual } from 'node:util'
import { kindOf, orderIn } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import type { Finding } from './finding.ts'
import type { Wanted } from './record.ts'
import type { Slice } from './slice.ts'

export type Fault = {
  key: Key
  wanted: Wanted | undefined
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

export const isMendable = ({ wanted, rival }: Fault): boolean => !wanted?.isLost && !rival?.isRightful

export const isEntry = ({ pk, sk }: Key): boolean => kindOf(pk) === 'LIST' && orderIn(sk) !== undefined

type About = { slice: Slice; key: Key; record: Item | undefined }

export const findingOf = ({ slice, key, record }: About, fault: Fault, isMended: boolean): Finding => ({
  where: slice.labelOf(key),
  says: wordsOf(slice, record !== undefined, fault),
  key: fault.key,
  expected: fault.wanted ? membersOf(fault.wanted.item) : null,
  found: fault.found ? membersOf(fault.found) : null,
  isMended,
})

const wordsOf = (slice: Slice, isThere: boolean, { key, wanted, found, rival }: Fault): string => {
  const name = slice.nameOf(key)
  if (!wanted) return isThere ? `has a wrong ${name}.` : `does not exist, but its ${name} does.`
  if (rival?.isRightful)
    return `its ${name} is that of ${rival.label}, which asks for it too: change one of them.`
  const lost = wanted.isLost ? ' It cannot be made again.' : ''
  if (!found) return `its ${name} is missing.${lost}`
  const members = differences(membersOf(wanted.item), membersOf(found), wanted.check === 'whole')
  return `its ${name} is wrong in ${members.join(', ')}.${lost}`
}

/** What an item says: of an entry, what the list shows. */
const membersOf = (item: Item): Record<string, unknown> => {
  const { pk: _, sk: __, ...members } = item
  return isEntry(item) ? { ...Object(members.item) } : members
}

const differences = (
  expected: Record<string, unknown>,
  found: Record<string, unknown>,
  isWhole: boolean,
): string[] =>
  Object.keys(isWhole ? { ...expected, ...found } : expected).filter(
    name => !isDeepStrictEqual(expected[name], found[name]),
  )
