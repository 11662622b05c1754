// The writes that change the counts of nodes. They fail with CONFLICT if a split or merge came before them.
import { type Action, CONFLICT } from '../table/action.ts'
import { innerNodeKey } from '../table/design.ts'
import { childAt, type Deltas } from './children.ts'
import { type InnerNode, type List, type Root, storedIndex } from './list.ts'

/** Fails only if one of the changed children starts at another key, so concurrent writers do not conflict. */
export function addToRoot(list: List, root: Root, deltas: Deltas): Action {
  const changed = [...deltas.keys()].map(n => ({ at: storedIndex(root, n), from: root.children[n]?.from }))
  return {
    Update: {
      Key: list.root,
      UpdateExpression: `SET ${countUpdates(root, deltas).join(', ')}`,
      ConditionExpression: changed.map(({ at }) => `#starts[${at}] = :from${at}`).join(' AND '),
      ExpressionAttributeNames: { '#counts': 'counts', '#starts': 'starts' },
      ExpressionAttributeValues: {
        ...deltaValues(root, deltas),
        ...Object.fromEntries(changed.map(({ at, from }) => [`:from${at}`, from])),
      },
    },
    onConditionFailed: CONFLICT,
  }
}

/**
 * `orders` are the keys of the entries that are added or removed. A single one requires only its own range to
 * be unchanged, several the whole node. `writes` is raised even if no count changes.
 */
export function addToInnerNode(
  list: List,
  from: string,
  node: InnerNode,
  deltas: Deltas,
  orders: string[],
): Action {
  const [only, ...others] = orders
  const condition = only !== undefined && others.length === 0 ? hasRangeOf(node, only) : hasShape(node)
  return {
    Update: {
      Key: innerNodeKey(list.name, from),
      UpdateExpression: `SET ${[...countUpdates(node, deltas), '#writes = #writes + :one'].join(', ')}`,
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
    expression: '#shape_version = :shape_version',
    names: { '#shape_version': 'shape_version' },
    values: { ':shape_version': shapeVersion },
  }
}

/**
 * The range still starts at or before the key, and the next one after it. Children are stored in reverse, so
 * the next one has the index before. DynamoDB compares strings in the same order as it sorts keys.
 */
function hasRangeOf(node: InnerNode, order: string): Condition {
  const at = storedIndex(node, childAt(node.children, order))
  const isBeforeNext = at > 0 ? `#starts[${at - 1}] > :order` : '(#until = :none OR #until > :order)'
  return {
    expression: `#starts[${at}] <= :order AND ${isBeforeNext}`,
    names: { '#starts': 'starts', ...(at === 0 && { '#until': 'until' }) },
    values: { ':order': order, ...(at === 0 && { ':none': '' }) },
  }
}

/** DynamoDB's ADD cannot address an element of a list attribute, SET can. */
function countUpdates(node: Root, deltas: Deltas): string[] {
  return [...deltas.keys()]
    .map(n => storedIndex(node, n))
    .map(at => `#counts[${at}] = #counts[${at}] + :d${at}`)
}

function deltaValues(node: Root, deltas: Deltas): Record<string, number> {
  return Object.fromEntries([...deltas].map(([n, delta]) => [`:d${storedIndex(node, n)}`, delta]))
}
