// Edits the table directly, so that records and what depends on them differ.
import { entryKey, type Item, type Key, sortable } from '../../shared/table/design.ts'
import type { World } from '../support/world.ts'

/** Each plants a difference, and returns the problems that the doctor must report, except those of lists. */
export type Drifts = Record<string, () => Promise<string[]>>

/** No record has this id, nor one of the next few. */
export const UNUSED_ID = 9_990

export function tableEditor({ table }: World) {
  const get = async (key: Key): Promise<Item> => {
    const [item] = await table.findMany([key])
    if (!item) throw new Error(`There is no ${key.pk} ${key.sk}.`)
    return item
  }
  const put = (item: Item) => table.write({ Put: { Item: item } })
  const edit = async (key: Key, members: object) => put({ ...(await get(key)), ...members })
  const remove = (...keys: Key[]) => table.removeMany(keys)
  const entryOf = (list: string, id: number) => entryKey(list, sortable(id))
  return { get, put, edit, remove, entryOf }
}
