// Describes requests and answers member by member, so that a call with any other member is left to the SDK.

/** Translates a value. Throws Unfamiliar if it does not know how. */
export type Shape = (value: unknown) => unknown

/** Not an error of the caller: the SDK knows more kinds of calls and values. */
export class Unfamiliar extends Error {
  override name = 'Unfamiliar'
}

/** Numbers, texts, flags, and what consists of them. */
export function plain(value: unknown): unknown {
  return value
}

export function listOf(shape: Shape): Shape {
  return value => {
    if (!Array.isArray(value)) throw new Unfamiliar()
    return value.map(shape)
  }
}

export function mapOf(shape: Shape): Shape {
  return value => {
    const translated: Record<string, unknown> = {}
    for (const [name, member] of Object.entries(recordOf(value))) translated[safeName(name)] = shape(member)
    return translated
  }
}

/** A structure. As in the SDK, a member that is null is missing. */
export function members(shapes: Record<string, Shape>): Shape {
  const known = new Map(Object.entries(shapes))
  return value => {
    const translated: Record<string, unknown> = {}
    const record = recordOf(value)
    for (const name in record) {
      const shape = known.get(name)
      if (!shape) throw new Unfamiliar()
      const member = record[name]
      if (member !== undefined && member !== null) translated[name] = shape(member)
    }
    return translated
  }
}

/** A plain object. Those of a class have a meaning that only the SDK may know. */
export function recordOf(value: unknown): Record<string, unknown> {
  if (!isPlainObject(value)) throw new Unfamiliar()
  return value
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The SDK neither writes nor reads these names as it does others. */
export function safeName(name: string): string {
  if (name === '__proto__' || name === 'constructor') throw new Unfamiliar()
  return name
}
