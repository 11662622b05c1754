// Translates items to the attribute values of DynamoDB and back.
import { recordOf, type Shape, safeName, Unfamiliar } from '../aws/shapes.ts'

type Attributes = Record<string, unknown>

/** The JSON of an item, a key or the values of an expression. Members that are undefined are left out. */
export const toAttributes: Shape = item => {
  const attributes: Attributes = {}
  const record = recordOf(item)
  for (const name in record) {
    const value = record[name]
    if (value !== undefined) attributes[safeName(name)] = toAttribute(value)
  }
  return attributes
}

function toAttribute(value: unknown): Attributes {
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'number') return { N: numeral(value) }
  if (typeof value === 'boolean') return { BOOL: value }
  if (value === null) return { NULL: true }
  if (Array.isArray(value)) return { L: value.filter(element => element !== undefined).map(toAttribute) }
  if (value instanceof Uint8Array) return { B: base64(value) }
  return { M: toAttributes(value) }
}

function numeral(value: number): string {
  if (!isPrecise(value)) throw new Unfamiliar()
  return String(value)
}

/** DynamoDB has numbers of 38 digits. The SDK refuses larger ones than these, and reads them as bigint. */
function isPrecise(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER
}

function base64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}

/** The item of the JSON of its attributes. */
export const fromAttributes: Shape = attributes => {
  const item: Attributes = {}
  const record = recordOf(attributes)
  for (const name in record) item[safeName(name)] = fromAttribute(record[name])
  return item
}

function fromAttribute(attribute: unknown): unknown {
  const record = recordOf(attribute)
  for (const type in record) {
    const value = record[type]
    if (type === 'S' && typeof value === 'string') return value
    if (type === 'N' && isPrecise(Number(value))) return Number(value)
    if (type === 'BOOL' && typeof value === 'boolean') return value
    if (type === 'NULL' && value === true) return null
    if (type === 'M') return fromAttributes(value)
    if (type === 'L' && Array.isArray(value)) return value.map(fromAttribute)
    if (type === 'B' && typeof value === 'string') return bytes(value)
    break
  }
  throw new Unfamiliar()
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

function bytes(text: string): Uint8Array {
  if (text.length % 4 > 0 || !BASE64.test(text)) throw new Unfamiliar()
  const { buffer, byteOffset, byteLength } = Buffer.from(text, 'base64')
  return new Uint8Array(buffer, byteOffset, byteLength)
}
