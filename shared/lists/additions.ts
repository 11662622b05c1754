// Counting in a list's nodes: what enters or leaves is added to the counts above it, so long as it belongs there.
import { type Action, CONFLICT } from '../table/action.ts'
import { innerNodeKey } from '../table/design.ts'
import { childAt } from './directory.ts'
import { type InnerNode, type List, type Root, storedAt } from './list.ts'

/** Adds to counts of a root by child, so long as each is where it was: writers do not refuse each other. */
export function addToRoot(list: List, root: Root, deltas: Map<number, number>): Action {
  const added = [...deltas.keys()].map(n => ({ at: storedAt(root, n), from: root.children[n]?.from }))
  return {
    Update: {
      Key: list.root,
      UpdateExpression: `SET ${additions(root, deltas).join(', ')}`,
      ConditionExpression: added.map(({ at }) => `#froms[${at}] = :from${at}`).join(' AND '),
      ExpressionAttributeNames: { '#counts': 'counts', '#froms': 'froms' },
      ExpressionAttributeValues: {
        ...deltaValues(root, deltas),
        ...Object.fromEntries(added.map(({ at, from }) => [`:from${at}`, from])),
      },
    },
    onConditionFailed: CONFLICT,
  }
}

/**
 * Adds to counts of an inner node by what enters and leaves at `orders`, and notes the write even where no count
 * changes. One entry alone is counted where it belongs though its range, or one before it, was split meanwhile.
 */
export function addToInnerNode(
  list: List,
  from: string,
  node: InnerNode,
  deltas: Map<number, number>,
  orders: string[],
): Action {
  const [only, ...others] = orders
  const condition = only !== undefined && others.length === 0 ? holds(node, only) : hasShape(node)
  return {
    Update: {
      Key: innerNodeKey(list.name, from),
      UpdateExpression: `SET ${[...additions(node, deltas), '#writes = #writes + :one'].join(', ')}`,
      ConditionExpression: condition.expression,
      ExpressionAttributeNames: {
        ...condition.names,
        ...(deltas.size > 0 && { '#counts': 'counts' }),
        '#writes': 'writes',
      },
      ExpressionAttributeValues: { ...condition.values, ...deltaValues(node, deltas), ':one': 1 },
    },
    onConditionFailed: CONFLICT,
  }
}

type Condition = { expression: string; names: Record<string, string>; values: Record<string, unknown> }

function hasShape({ shapeVersion }: InnerNode): Condition {
  return {
    expression: '#structure = :structure',
    names: { '#structure': 'structure' },
    values: { ':structure': shapeVersion },
  }
}

/** Its key range is where it was, and the entry in it. DynamoDB compares texts as it sorts keys. */
function holds(node: InnerNode, order: string): Condition {
  const at = storedAt(node, childAt(node.children, order))
  const isBeforeNext = at > 0 ? `#froms[${at - 1}] > :order` : '(#until = :none OR #until > :order)'
  return {
    expression: `#froms[${at}] <= :order AND ${isBeforeNext}`,
    names: { '#froms': 'froms', ...(at === 0 && { '#until': 'until' }) },
    values: { ':order': order, ...(at === 0 && { ':none': '' }) },
  }
}

/** ADD does not reach into a list, SET does. */
function additions(node: Root, deltas: Map<number, number>) {
  return [...deltas.keys()].map(n => storedAt(node, n)).map(at => `#counts[${at}] = #counts[${at}] + :d${at}`)
}

function deltaValues(node: Root, deltas: Map<number, number>) {
  return Object.fromEntries([...deltas].map(([n, delta]) => [`:d${storedAt(node, n)}`, delta]))
}
