// What the doctor knows of a kind of record: how it is read, where it stands, and what else hangs on it.
import * as z from 'zod/mini'
import type { List, ListEntry } from '../../../shared/lists/counted-list.ts'
import type { Action } from '../../../shared/table/action.ts'
import { kindOf, nameIn, orderIn } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import type { Kind } from '../../../shared/table/kinds.ts'

/** Something that must be there because a record is. */
export type Hanging = {
  item: Item
  /** All of it must be so; or only these members; or, with a life of its own, it must only be there. */
  check: 'whole' | 'members' | 'presence'
  /** It says what stands nowhere else, so that it cannot be made again. */
  isLost?: boolean
}

export type Standing = {
  places: ListEntry[]
  hanging: Hanging[]
  /** The list whose root the record is. */
  rootOf: List | undefined
}

export type Slice = {
  /** Of the partitions that its records and what hangs on them are in, but for lists. */
  kinds: string[]
  isRecord: (item: Item) => boolean
  /** A record as reports name it: `post 7`. */
  labelOf: (key: Key) => string
  /** Members of which every change of the record changes one. */
  stamps: string[]
  /** What must be there with the record. Throws ZodError where it cannot be read. */
  read: (item: Item) => Standing
  /** The record that an item hangs on; undefined where it is none of this slice's. */
  ownerOf: (item: Item) => Key | undefined
  /** What an item that hangs on a record is called: `slug lock`. */
  nameOf: (key: Key) => string
  /** Whether a record may have it and need not: a token, a reply. */
  isOptional: (key: Key) => boolean
  listOf: (name: string) => List | undefined
  /** The mark that is there while the service itself sets this list right. */
  markOf: (list: string) => Key | undefined
}

type Owner = (item: Item) => Key | undefined

type Declared<Record> = {
  /** What a record is called before its id. */
  name: string
  kind: Kind
  /** Which items of the kind are records: those with this sort key, or by what they are; all unless given. */
  sk?: string
  isOne?: (item: Item) => boolean
  schema: z.ZodMiniType<Record>
  stamps: (keyof Record & string)[]
  labelOf?: Slice['labelOf']
  listEntriesOf?: (record: Record) => ListEntry[]
  hangingOf?: (record: Record) => Hanging[]
  /** The list whose root the record is. */
  rootOf?: (record: Record) => List
  /** What hangs on such a record, by the kind of its partition. */
  hangs: { [kind in Kind]?: { name: string; owner: Owner; isOptional?: boolean } }
  /** The lists that such records stand in, some of them one for each id; and the record of an entry. */
  lists?: (List | ((id: number) => List))[]
  entryOwner?: Owner
  markOf?: Slice['markOf']
}

export function slice<Record>(declared: Declared<Record>): Slice {
  const { name, kind, sk, isOne = () => true, schema, hangs, entryOwner } = declared
  const isRecord = (item: Item): boolean =>
    kindOf(item.pk) === kind && (sk === undefined || item.sk === sk) && isOne(item)
  const listOf = listsBy(declared.lists ?? [])
  const hangingAt = ({ pk, sk }: Key) => {
    const list = nameIn(pk)
    if (kindOf(pk) !== ('LIST' satisfies Kind)) return new Map(Object.entries(hangs)).get(kindOf(pk))
    if (!entryOwner || orderIn(sk) === undefined || !listOf(list)) return undefined
    return { name: `entry in the list ${list}`, owner: entryOwner, isOptional: false }
  }
  return {
    kinds: [kind, ...Object.keys(hangs)],
    isRecord,
    stamps: declared.stamps,
    labelOf: declared.labelOf ?? (({ pk }) => `${name} ${nameIn(pk)}`),
    read: item => {
      const record = schema.parse(item)
      return {
        places: declared.listEntriesOf?.(record) ?? [],
        hanging: (declared.hangingOf?.(record) ?? []).filter(
          ({ item: { pk, sk } }) => pk !== item.pk || sk !== item.sk,
        ),
        rootOf: declared.rootOf?.(record),
      }
    },
    ownerOf: item => (isRecord(item) ? undefined : hangingAt(item)?.owner(item)),
    nameOf: key => hangingAt(key)?.name ?? 'item',
    isOptional: key => hangingAt(key)?.isOptional ?? false,
    listOf,
    markOf: declared.markOf ?? (() => undefined),
  }
}

/** What the service itself puts, when it makes such a record. */
export function putBy(actions: Action[]): Hanging[] {
  return actions.flatMap(action =>
    'Put' in action ? [{ item: action.Put.Item, check: 'whole' as const }] : [],
  )
}

/** The owner by an id among the item's members. */
export function byMember(member: string, keyOf: (id: number) => Key): Owner {
  return item => keyById(item[member], keyOf)
}

/** The owner by the id in the item's partition key. */
export function byPartition(keyOf: (id: number) => Key): Owner {
  return ({ pk }) => keyById(Number(nameIn(pk)), keyOf)
}

/** The owner of an entry by the id that the list shows. */
export function byShownId(keyOf: (id: number) => Key): Owner {
  return ({ item }) => keyById(Shown.safeParse(item).data?.id, keyOf)
}

const Shown = z.object({ id: z.int() })
function keyById(id: unknown, keyOf: (id: number) => Key) {
  return typeof id === 'number' && Number.isSafeInteger(id) ? keyOf(id) : undefined
}

function listsBy(lists: (List | ((id: number) => List))[]): Slice['listOf'] {
  return name => {
    const id = Number(/\d+$/.exec(name)?.[0])
    return lists.map(list => (typeof list === 'function' ? list(id) : list)).find(list => list.name === name)
  }
}
