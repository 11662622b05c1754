// How a declared record type names its dependents and finds the record that an item depends on.
import * as z from 'zod/mini'
import type { Action } from '../../shared/table/action.ts'
import { nameIn } from '../../shared/table/design.ts'
import type { Key } from '../../shared/table/key.ts'
import type { Dependent, OwnerOf } from './record-type.ts'

/** The items that the service writes together with the record. */
export function putBy(actions: Action[]): Dependent[] {
  return actions.flatMap(action => ('Put' in action ? [{ item: action.Put.Item }] : []))
}

/** The item has the owner's id as an attribute. */
export function byMember(member: string, keyOf: (id: number) => Key): OwnerOf {
  return item => keyById(item[member], keyOf)
}

/** The partition key contains the owner's id. */
export function byPartition(keyOf: (id: number) => Key): OwnerOf {
  return ({ pk }) => keyById(Number(nameIn(pk)), keyOf)
}

/** For list entries: the listed item contains the owner's id. */
export function byListedId(keyOf: (id: number) => Key): OwnerOf {
  return ({ item }) => keyById(ListItem.safeParse(item).data?.id, keyOf)
}

const ListItem = z.object({ id: z.int() })

function keyById(id: unknown, keyOf: (id: number) => Key): Key | undefined {
  return typeof id === 'number' && Number.isSafeInteger(id) ? keyOf(id) : undefined
}
