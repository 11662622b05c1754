// The size of an item, by which DynamoDB charges a write: names and values, in units of 1 kB. No I/O.

/** One write unit. */
export const UNIT_BYTES = 1_024

/** At least what DynamoDB counts. */
export function sizeOf(value: unknown): number {
  if (value === undefined) return 0
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value === 'number') return Math.ceil(String(value).length / 2) + 2
  if (typeof value !== 'object' || value === null) return 1
  if (value instanceof Uint8Array) return value.length
  const names = Array.isArray(value) ? [] : Object.entries(value).filter(([, each]) => each !== undefined)
  const all = Array.isArray(value) ? value : names.map(([, each]) => each)
  const inside = all.reduce((sum: number, each) => sum + sizeOf(each) + 1, 3)
  return names.reduce((sum, [name]) => sum + Buffer.byteLength(name), inside)
}
