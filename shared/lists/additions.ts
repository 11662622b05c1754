// Adds to the counts of a list's nodes when entries are added or removed, unless a split moved them first.
import { type Action, CONFLICT } from '../table/action.ts'
import { innerNodeKey } from '../table/design.ts'
import { childAt } from './children.ts'
import { type InnerNode, type List, type Root, storedAt } from './list.ts'

/**
 * Adds deltas to a root's counts. Fails only when a child moved, so concurrent writers do not block each
 * other.
 */
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
 * Adds deltas to an inner node's counts and raises `writes`, even if no count changes. A single entry is
 * checked against its range only, so that a split of another range does not make it fail.
 */
export function addToInnerNode(
  list: List,
  from: string,
  node: InnerNode,
  deltas: Map<number, number>,
  orders: string[],
): Action {
  const [only, ...others] = orders
  const condition = only !== undefined && others.length === 0 ? containsOrder(node, only) : hasShape(node)
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

/** The entry's key range has not moved. DynamoDB compares strings in the same order as it sorts keys. */
function containsOrder(node: InnerNode, order: string): Condition {
  const at = storedAt(node, childAt(node.children, order))
  const isBeforeNext = at > 0 ? `#froms[${at - 1}] > :order` : '(#until = :none OR #until > :order)'
  return {
    expression: `#froms[${at}] <= :order AND ${isBeforeNext}`,
    names: { '#froms': 'froms', ...(at === 0 && { '#until': 'until' }) },
    values: { ':order': order, ...(at === 0 && { ':none': '' }) },
  }
}

/** DynamoDB's ADD cannot address an element of a list attribute, SET can. */
function additions(node: Root, deltas: Map<number, number>) {
  return [...deltas.keys()].map(n => storedAt(node, n)).map(at => `#counts[${at}] = #counts[${at}] + :d${at}`)
}

function deltaValues(node: Root, deltas: Map<number, number>) {
  return Object.fromEntries([...deltas].map(([n, delta]) => [`:d${storedAt(node, n)}`, delta]))
}
