// Compares items by what their record determines, without what a newer version added; and what is reported.
import { hash } from 'node:crypto'
import type { Item, Key } from '../../../shared/table/design.ts'

export type Problem = {
  /** The list or the record that has the problem: `post 7`. */
  subject: string
  /** The rest of the sentence. */
  message: string
  isRepaired: boolean
}

export function lineOf({ subject, message, isRepaired }: Problem): string {
  return `${subject}: ${message}${isRepaired ? ' Repaired.' : ''}`
}

export function keyText({ pk, sk }: Key): string {
  return JSON.stringify([pk, sk])
}

export function keyOf({ pk, sk }: Key): Key {
  return { pk, sk }
}

/** The compared attributes of an item; undefined: all of them. */
export function contentOf(item: Item, compared: string[] | undefined): Record<string, unknown> {
  return compared ? Object.fromEntries(compared.map(name => [name, item[name]])) : item
}

/** The digest of the compared attributes, or of all. */
export function digestOf(item: Item, compared?: string[]): number {
  return hash('sha1', canonical(contentOf(item, compared)), 'buffer').readUIntBE(0, 6)
}

/** The members that differ. Those of newer versions, which this one keeps, are not compared. */
export function differencesIn(expected: Record<string, unknown>, found: Record<string, unknown>): string[] {
  return Object.keys(expected).filter(name => {
    const [right, is] = [expected[name], found[name]]
    if (isMap(right) && isMap(is)) return differencesIn(right, is).length > 0
    // A missing member is not null: lists are read with the members that this version writes.
    return (right === undefined) !== (is === undefined) || canonical(right) !== canonical(is)
  })
}

function isMap(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  )
}

/** The same text for equal values. Members without a value are left out, because they are not stored. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (value instanceof Uint8Array) return `base64 ${Buffer.from(value).toString('base64')}`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
    .sort()
    .join()}}`
}
