// The two key attributes that every item has.
export type Key = { pk: string; sk: string }
export type Item = Key & Record<string, unknown>

/** The table's key schema guarantees both attributes. */
export function itemOf(item: Record<string, unknown>): Item {
  return {
    ...item,
    pk: String(item.pk),
    sk: String(item.sk),
  }
}
