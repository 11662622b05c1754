// Reads the values of an answer or a delivery, each as the type that the contract gives it.
import { at, isObject, type Source, wrong } from './answer.ts'

/** Undefined if it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function integer(source: Source, path: string): number {
  const value = at(source, path)
  return typeof value === 'number' && Number.isInteger(value) ? value : wrong(source, path, 'an integer')
}

export function text(source: Source, path: string): string {
  const value = at(source, path)
  return typeof value === 'string' ? value : wrong(source, path, 'a string')
}

export function textOrNull(source: Source, path: string): string | null {
  return at(source, path) === null ? null : text(source, path)
}

export function flag(source: Source, path: string): boolean {
  const value = at(source, path)
  return typeof value === 'boolean' ? value : wrong(source, path, 'a boolean')
}

export function list(source: Source, path: string): unknown[] {
  const value = at(source, path)
  return Array.isArray(value) ? value : wrong(source, path, 'an array')
}

/** The paths of the items of an array: `data.0`, `data.1`, … */
export function itemsOf(source: Source, path: string): string[] {
  return list(source, path).map((_, index) => `${path}.${index}`)
}

export function members(source: Source, path: string): Record<string, unknown> {
  const value = at(source, path)
  return isObject(value) ? value : wrong(source, path, 'an object')
}

/** Date, time and offset; without the offset it is no moment. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/

/** The milliseconds of an ISO 8601 timestamp with offset. */
export function momentMs(source: Source, path: string): number {
  const value = text(source, path)
  return MOMENT.test(value) ? Date.parse(value) : wrong(source, path, 'an ISO 8601 timestamp with offset')
}

export function absoluteUrl(source: Source, path: string): string {
  const value = text(source, path)
  const isAbsolute = URL.canParse(value) && /^https?:\/\/./.test(value)
  return isAbsolute ? value : wrong(source, path, 'a complete absolute URL')
}

/** The values of one member of each item of the array at `path`. */
export function each<Value>(
  source: Source,
  path: string,
  name: string,
  read: (source: Source, path: string) => Value,
): Value[] {
  return itemsOf(source, path).map(item => read(source, `${item}.${name}`))
}
