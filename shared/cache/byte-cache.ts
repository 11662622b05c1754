// A cache that is bounded in bytes: the entry that was not used for the longest time leaves first.

export type ByteCache<T> = { get: (name: string) => T | undefined; set: (name: string, value: T) => void }

/** `sizeOf` is called once per entry, so a value must not grow afterwards. */
export function openByteCache<T>(maxBytes: number, sizeOf: (value: T) => number): ByteCache<T> {
  const entries = new Map<string, { value: T; bytes: number }>()
  let bytes = 0

  const remove = (name: string) => {
    bytes -= entries.get(name)?.bytes ?? 0
    entries.delete(name)
  }

  const get = (name: string): T | undefined => {
    const entry = entries.get(name)
    if (!entry) return undefined
    // A map keeps the order of insertion, so the first entry is always the least recently used one.
    entries.delete(name)
    entries.set(name, entry)
    return entry.value
  }

  const set = (name: string, value: T): void => {
    remove(name)
    const entry = { value, bytes: sizeOf(value) + 2 * name.length }
    if (entry.bytes > maxBytes) return
    entries.set(name, entry)
    bytes += entry.bytes
    for (const oldest of entries.keys()) {
      if (bytes <= maxBytes) break
      remove(oldest)
    }
  }
  return { get, set }
}

const BYTES_PER_VALUE = 16

/** About the memory of a value that consists of JSON and bytes. */
export function approximateBytes(value: unknown): number {
  if (typeof value === 'string') return BYTES_PER_VALUE + 2 * value.length
  if (value instanceof Uint8Array) return BYTES_PER_VALUE + value.length
  if (typeof value !== 'object' || value === null) return BYTES_PER_VALUE
  return Object.values(value).reduce<number>(
    (sum, member) => sum + approximateBytes(member),
    4 * BYTES_PER_VALUE,
  )
}
