// A type of record as the operator knows it: what follows from such a record in the rest of the table.
import type * as z from 'zod/mini'
import type { List, ListEntry } from '../../shared/lists/counted-list.ts'
import type { Action } from '../../shared/table/action.ts'
import type { Table } from '../../shared/table/client.ts'
import { entryKey, type Item, type Key, kindOf, nameIn, orderIn } from '../../shared/table/design.ts'
import type { Kind } from '../../shared/table/kinds.ts'
import type { Context } from './command.ts'

/** An item that must exist because its record does. `listEntry` is set for an entry of a list. */
export type Dependent = {
  item: Item
  listEntry?: ListEntry
  /** Its content is stored nowhere else, so that a repair cannot write it again. */
  isIrreplaceable?: boolean
}

/** A list, or one list for each id. */
export type ListOrFamily = List | ((id: number) => List)

type OwnerOf = (item: Item) => Key | undefined

/** Items that depend on a record. */
type DependentKind = {
  /** As the output names it: `slug lock`. */
  name: string
  owner: OwnerOf
  /** The attributes that the record determines; undefined: all of them. */
  compared?: string[]
  /** Whether a record may exist without it: a token, a reply. */
  isOptional?: (key: Key) => boolean
  /** Removes an item without a record, with all that depends on the item. */
  remove?: (context: Context, item: Item) => Promise<void>
}

type Declaration<Content> = {
  /** The name of a record in the output, before its id. */
  name: string
  kind: Kind
  /** Which items of the kind are records: those with this sort key or for which `isOne` holds; else all. */
  sk?: string
  isOne?: (item: Item) => boolean
  schema: z.ZodMiniType<Content>
  /** Attributes of which every change of the record changes at least one. */
  versionAttributes: (keyof Content & string)[]
  labelOf?: (key: Key) => string
  listEntriesOf?: (record: Content) => ListEntry[]
  dependentsOf?: (record: Content, table: Table) => Dependent[] | Promise<Dependent[]>
  /** What the record adds to the numbers of other items. */
  countsOf?: (record: Content) => Item[]
  /** The list whose root the record is. */
  rootOf?: (record: Content) => List
  /** What is wrong with the record itself. */
  problemOf?: (record: Content) => string | undefined
  /** Items that depend on such a record, by the kind of their partition. */
  dependents?: { [kind in Kind]?: DependentKind }
  /** All lists that contain such records. */
  lists?: ListOrFamily[]
  /** The record of a list entry. */
  entryOwner?: OwnerOf
}

export type RecordType = ReturnType<typeof recordType>

export function recordType<Content>(declaration: Declaration<Content>) {
  const { name, kind, sk, isOne = () => true, schema, entryOwner, lists = [] } = declaration
  const dependents = new Map<string, DependentKind>(Object.entries(declaration.dependents ?? {}))
  const kinds: string[] = [kind, ...dependents.keys()]
  const versionAttributes: string[] = declaration.versionAttributes
  const listOf = listNamed(lists)
  const dependentAt = ({ pk, sk }: Key): DependentKind | undefined => {
    if (kindOf(pk) !== ('LIST' satisfies Kind)) return dependents.get(kindOf(pk))
    const list = nameIn(pk)
    if (!entryOwner || orderIn(sk) === undefined || !listOf(list)) return undefined
    return { name: `entry in the list ${list}`, owner: entryOwner }
  }
  return {
    /** The kinds of its records and of their dependents, without lists. */
    kinds,
    lists,
    listOf,
    dependentAt,
    versionAttributes,
    isRecord: (item: Item): boolean =>
      kindOf(item.pk) === kind && (sk === undefined || item.sk === sk) && isOne(item),
    /** A record as the output names it: `post 7`. */
    labelOf: declaration.labelOf ?? (({ pk }: Key) => `${name} ${nameIn(pk)}`),
    /** The record that an item depends on; undefined for an item of another type. */
    ownerOf: (item: Item): Key | undefined => {
      const owner = dependentAt(item)?.owner(item)
      return owner?.pk === item.pk && owner.sk === item.sk ? undefined : owner
    },
    /** What a record requires of the rest of the table. Undefined if the record cannot be read. */
    read: async (item: Item, table: Table) => {
      const { data: record } = schema.safeParse(item)
      if (record === undefined) return undefined
      const entries = (declaration.listEntriesOf?.(record) ?? []).map((listEntry): Dependent => {
        const { list, order, item } = listEntry
        return { listEntry, item: { ...entryKey(list.name, order), item } }
      })
      const others = ((await declaration.dependentsOf?.(record, table)) ?? []).filter(
        ({ item: { pk, sk } }) => pk !== item.pk || sk !== item.sk,
      )
      return {
        dependents: [...entries, ...others],
        counts: declaration.countsOf?.(record) ?? [],
        rootOf: declaration.rootOf?.(record),
        problem: declaration.problemOf?.(record),
      }
    },
  }
}

/** Remembers the last list, because a scan reads all entries of a list in turn. */
function listNamed(lists: ListOrFamily[]) {
  let last: { name: string; list: List | undefined } | undefined
  return (name: string): List | undefined => {
    if (last?.name === name) return last.list
    const id = Number(/\d+$/.exec(name)?.[0])
    const all = lists.map(list => (typeof list === 'function' ? list(id) : list))
    last = { name, list: all.find(list => list.name === name) }
    return last.list
  }
}

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
  return ({ item }) => keyById(Object(item).id, keyOf)
}

export function keyById(id: unknown, keyOf: (id: number) => Key): Key | undefined {
  return typeof id === 'number' && Number.isSafeInteger(id) ? keyOf(id) : undefined
}
