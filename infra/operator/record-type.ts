// A type of record as the operator knows it: what depends on it, for the doctor and the data of a person.
import * as z from 'zod/mini'
import type { List, ListEntry } from '../../shared/lists/counted-list.ts'
import type { Action } from '../../shared/table/action.ts'
import type { Table } from '../../shared/table/client.ts'
import { type Item, type Key, kindOf, nameIn, orderIn } from '../../shared/table/design.ts'
import type { Kind } from '../../shared/table/kinds.ts'
import type { Context } from './command.ts'

/** An item that must exist because its record does. */
export type Dependent = {
  item: Item
  /** Its content is stored nowhere else, so that a repair cannot write it again. */
  isIrreplaceable?: boolean
  /** A repair writes all of it, although only some attributes are compared. */
  isWhole?: boolean
}

/** What a record requires of the rest of the table. */
export type Expectation = {
  listEntries: ListEntry[]
  dependents: Dependent[]
  /** The list whose root the record is. */
  rootOf: List | undefined
  /** Finds dependents that follow from more than the record. A record that has some is always checked. */
  findMore: FindMore | undefined
  /** What is wrong with the record itself. */
  problem: string | undefined
}

type FindMore = (table: Table) => Promise<Dependent[]>
/** Removes an item that depends on a record that does not exist, with all that depends on the item. */
type Remove = (context: Context, item: Item) => Promise<void>

export type RecordType = {
  /** The kinds of its records and of their dependents, without lists. */
  kinds: string[]
  isRecord: (item: Item) => boolean
  /** A record as the output names it: `post 7`. */
  labelOf: (key: Key) => string
  /** Attributes of which every change of the record changes at least one. */
  versionAttributes: string[]
  /** Throws ZodError when the record cannot be read. */
  read: (item: Item) => Expectation
  /** The record that an item depends on; undefined for an item of another type. */
  ownerOf: (item: Item) => Key | undefined
  /** The name of a dependent in the output: `slug lock`. */
  nameOf: (key: Key) => string
  /** Whether a record may exist without this dependent: a token, a reply. */
  isOptional: (key: Key) => boolean
  /** The attributes of a dependent that its record determines; undefined: all of them. */
  comparedIn: (key: Key) => string[] | undefined
  removeOf: (key: Key) => Remove | undefined
  lists: ListOrFamily[]
  listOf: (name: string) => List | undefined
}

/** A list, or one list for each id. */
export type ListOrFamily = List | ((id: number) => List)

export type OwnerOf = (item: Item) => Key | undefined

type DependentKind = Pick<Partial<RecordType>, 'isOptional'> & {
  name: string
  owner: OwnerOf
  compared?: string[]
  /** For items that are records themselves. */
  remove?: Remove
}

type RecordTypeDeclaration<Content> = {
  /** The name of a record in the output, before its id. */
  name: string
  kind: Kind
  /** Which items of the kind are records: those with this sort key or for which `isOne` holds; else all. */
  sk?: string
  isOne?: (item: Item) => boolean
  schema: z.ZodMiniType<Content>
  versionAttributes: (keyof Content & string)[]
  labelOf?: RecordType['labelOf']
  listEntriesOf?: (record: Content) => ListEntry[]
  dependentsOf?: (record: Content) => Dependent[]
  rootOf?: (record: Content) => List
  findMore?: (record: Content) => FindMore | undefined
  problemOf?: (record: Content) => string | undefined
  /** Items that depend on such a record, by the kind of their partition. */
  dependents?: { [kind in Kind]?: DependentKind }
  /** All lists that contain such records. */
  lists?: ListOrFamily[]
  /** The record of a list entry. */
  entryOwner?: OwnerOf
}

export function recordType<Content>(declaration: RecordTypeDeclaration<Content>): RecordType {
  const { name, kind, sk, isOne = () => true, schema, entryOwner } = declaration
  const lists = declaration.lists ?? []
  const dependents = new Map<string, DependentKind>(Object.entries(declaration.dependents ?? {}))
  const isRecord = (item: Item): boolean =>
    kindOf(item.pk) === kind && (sk === undefined || item.sk === sk) && isOne(item)
  const listOf = listNamed(lists)
  const dependentKindOf = ({ pk, sk }: Key): DependentKind | undefined => {
    if (kindOf(pk) !== ('LIST' satisfies Kind)) return dependents.get(kindOf(pk))
    const list = nameIn(pk)
    if (!entryOwner || orderIn(sk) === undefined || !listOf(list)) return undefined
    return { name: `entry in the list ${list}`, owner: entryOwner }
  }
  return {
    kinds: [kind, ...dependents.keys()],
    isRecord,
    versionAttributes: declaration.versionAttributes,
    labelOf: declaration.labelOf ?? (({ pk }) => `${name} ${nameIn(pk)}`),
    read: item => {
      const record = schema.parse(item)
      return {
        listEntries: declaration.listEntriesOf?.(record) ?? [],
        dependents: (declaration.dependentsOf?.(record) ?? []).filter(
          ({ item: { pk, sk } }) => pk !== item.pk || sk !== item.sk,
        ),
        rootOf: declaration.rootOf?.(record),
        findMore: declaration.findMore?.(record),
        problem: declaration.problemOf?.(record),
      }
    },
    ownerOf: item => {
      const owner = dependentKindOf(item)?.owner(item)
      return owner?.pk === item.pk && owner.sk === item.sk ? undefined : owner
    },
    nameOf: key => dependentKindOf(key)?.name ?? 'item',
    isOptional: key => dependentKindOf(key)?.isOptional?.(key) ?? false,
    comparedIn: key => dependentKindOf(key)?.compared,
    removeOf: key => dependentKindOf(key)?.remove,
    lists,
    listOf,
  }
}

/** Remembers the last list, because a scan reads all entries of a list in turn. */
function listNamed(lists: ListOrFamily[]): RecordType['listOf'] {
  let last: { name: string; list: List | undefined } | undefined
  return name => {
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
  return ({ item }) => keyById(ListItem.safeParse(item).data?.id, keyOf)
}

const ListItem = z.object({ id: z.int() })

export function keyById(id: unknown, keyOf: (id: number) => Key): Key | undefined {
  return typeof id === 'number' && Number.isSafeInteger(id) ? keyOf(id) : undefined
}
