// The two key attributes that every item has, and items as DynamoDB takes them.
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'

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

/** Leaves out members that are undefined. */
export function toAttributes(item: Record<string, unknown>): Record<string, AttributeValue> {
  return marshall(item, { removeUndefinedValues: true })
}
