// A span of items: one partition, bounds of the sort key, a direction.
import type { QueryInput } from '@aws-sdk/client-dynamodb'
import { toAttributes } from './action.ts'

export type Span = {
  pk: string
  /** Bounds of the sort key, both inclusive. Not combined with `beginsWith`. */
  from?: string
  to?: string
  /** An exclusive upper bound. Not combined with other bounds. */
  before?: string
  beginsWith?: string
  descending?: boolean
  limit?: number
  /** Returns only these attributes, at the same cost. */
  only?: string[]
}

/** The Query of a span. It is strongly consistent. */
export function queryInput(TableName: string, span: Span): QueryInput {
  const bound = boundOf(span)
  return {
    TableName,
    ConsistentRead: true,
    ScanIndexForward: !span.descending,
    KeyConditionExpression: bound.condition ? `#pk = :pk AND ${bound.condition}` : '#pk = :pk',
    ProjectionExpression: span.only?.map((_, n) => `#a${n}`).join(', '),
    ExpressionAttributeNames: {
      '#pk': 'pk',
      ...(bound.condition && { '#sk': 'sk' }),
      ...Object.fromEntries((span.only ?? []).map((name, n) => [`#a${n}`, name])),
    },
    ExpressionAttributeValues: toAttributes({ ':pk': span.pk, ...bound.values }),
  }
}

function boundOf({ from, to, before, beginsWith }: Span) {
  if (beginsWith !== undefined) return { condition: 'begins_with(#sk, :b)', values: { ':b': beginsWith } }
  if (before !== undefined) return { condition: '#sk < :before', values: { ':before': before } }
  if (from !== undefined && to !== undefined) {
    return { condition: '#sk BETWEEN :from AND :to', values: { ':from': from, ':to': to } }
  }
  if (from !== undefined) return { condition: '#sk >= :from', values: { ':from': from } }
  if (to !== undefined) return { condition: '#sk <= :to', values: { ':to': to } }
  return { condition: '', values: {} }
}
