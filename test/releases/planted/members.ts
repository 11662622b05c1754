// What a later release adds to each item and message that it writes.
export type Members = Record<string, unknown>

export const NEXT = { next_release: { since: 2 } }

/** Also to a copied record, an outbox row's message and a delivery's event, but not to bytes. */
export function withMembers(item: Members): Members {
  const inner = ['item', 'body', 'event'].filter(
    name => item[name] instanceof Object && !ArrayBuffer.isView(item[name]),
  )
  return {
    ...item,
    ...Object.fromEntries(inner.map(name => [name, { ...Object(item[name]), ...NEXT }])),
    ...NEXT,
  }
}
