// Writing the table behind the service's back.
import { entryKey, sortable } from '../../shared/table/design.ts'
import type { Item, Key } from '../../shared/table/key.ts'
import type { World } from '../world/world.ts'

/** `plant` says which sentences the doctor must find: those about lists, which drifts share, are left out. */
export type Drift = { what: string; plant: () => Promise<string[]> }

/** The first of some ids that nothing has. */
export const NOBODY = 9_990

export function planting({ table }: World) {
  const raw = async (key: Key): Promise<Item> => {
    const [item] = await table.findMany([key])
    if (!item) throw new Error(`There is no ${key.pk} ${key.sk}.`)
    return item
  }
  const put = (item: Item) => table.write({ Put: { Item: item } })
  const edit = async (key: Key, members: object) => put({ ...(await raw(key)), ...members })
  const remove = (...keys: Key[]) => table.removeMany(keys)
  const entryOf = (list: string, id: number) => entryKey(list, sortable(id))
  return { raw, put, edit, remove, entryOf }
}
