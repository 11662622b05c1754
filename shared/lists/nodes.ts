// The conditional writes of a counted list's nodes: counts, new shapes, creation and deletion.

import { type Action, CONFLICT, isNew, setMembers, type WriteAction } from '../table/action.ts'
import { innerNodeKey } from '../table/design.ts'
import { type Child, childAt, type Deltas } from './children.ts'
import { type InnerNode, type List, type Root, type RootAttributes, storedIndex, toStored } from './list.ts'

/** Fails only if one of the changed children starts at another key, so concurrent writers do not conflict. */
export function addToRoot(list: List, root: Root, deltas: Deltas): Action {
  const changed = [...deltas.keys()].map(n => ({ at: storedIndex(root, n), from: root.children[n]?.from }))
  return {
    Update: {
      Key: list.root,
      UpdateExpression: `SET ${countUpdates(root, deltas).join(', ')}`,
      ConditionExpression: changed.map(({ at }) => `starts[${at}] = :from${at}`).join(' AND '),
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
  const condition =
    only !== undefined && others.length === 0
      ? hasRangeOf(node, only)
      : unchanged({ shape_version: node.shapeVersion })
  return {
    Update: {
      Key: innerNodeKey(list.name, from),
      UpdateExpression: `SET ${[...countUpdates(node, deltas), 'writes = writes + :one'].join(', ')}`,
      ...condition,
      ExpressionAttributeValues: {
        ...condition.ExpressionAttributeValues,
        ...deltaValues(node, deltas),
        ':one': 1,
      },
    },
    onConditionFailed: CONFLICT,
  }
}

/**
 * The range still starts at or before the key, and the next one after it. Children are stored in reverse, so
 * the next one has the index before. DynamoDB compares strings in the same order as it sorts keys.
 */
function hasRangeOf(node: InnerNode, order: string) {
  const at = storedIndex(node, childAt(node.children, order))
  const isLast = at === 0
  const isBeforeNext = isLast ? '(#until = :none OR #until > :order)' : `starts[${at - 1}] > :order`
  return {
    ConditionExpression: `starts[${at}] <= :order AND ${isBeforeNext}`,
    ...(isLast && { ExpressionAttributeNames: { '#until': 'until' } }),
    ExpressionAttributeValues: { ':order': order, ...(isLast && { ':none': '' }) },
  }
}

/** DynamoDB's ADD cannot address an element of a list attribute, SET can. */
function countUpdates(node: Root, deltas: Deltas): string[] {
  return [...deltas.keys()]
    .map(n => storedIndex(node, n))
    .map(at => `counts[${at}] = counts[${at}] + :d${at}`)
}

function deltaValues(node: Root, deltas: Deltas): Record<string, number> {
  return Object.fromEntries([...deltas].map(([n, delta]) => [`:d${storedIndex(node, n)}`, delta]))
}

/**
 * Replaces the children of a root. Fails with CONFLICT if they or their counts changed since they were read.
 */
export function reshapeRoot(list: List, was: Root, children: Child[]): WriteAction {
  const members = { ...toStored(children), shape_version: was.shapeVersion + 1 }
  const condition = unchanged({ shape_version: was.shapeVersion, counts: toStored(was.children).counts })
  return { Update: { Key: list.root, ...setMembers(members, condition) }, onConditionFailed: CONFLICT }
}

/** Replaces the children of an inner node. Fails with CONFLICT if anything below it was written since. */
export function reshapeInnerNode(
  list: List,
  from: string,
  was: InnerNode,
  current: Omit<InnerNode, 'writes'>,
): WriteAction {
  const { children, shapeVersion, until } = current
  const members = { ...toStored(children), shape_version: shapeVersion, until }
  const Key = innerNodeKey(list.name, from)
  return { Update: { Key, ...setMembers(members, unchangedNode(was)) }, onConditionFailed: CONFLICT }
}

export function removeInnerNode(list: List, from: string, was: InnerNode): WriteAction {
  const Key = innerNodeKey(list.name, from)
  return { Delete: { Key, ...unchangedNode(was) }, onConditionFailed: CONFLICT }
}

function unchangedNode({ shapeVersion, writes }: InnerNode) {
  return unchanged({ shape_version: shapeVersion, writes })
}

function unchanged(was: Record<string, unknown>) {
  const members = Object.entries(was)
  return {
    ConditionExpression: members.map(([name]) => `${name} = :was_${name}`).join(' AND '),
    ExpressionAttributeValues: Object.fromEntries(members.map(([name, value]) => [`:was_${name}`, value])),
  }
}

/** Creates an inner node. Fails if it exists. */
export function putInnerNode(
  list: List,
  from: string,
  current: Omit<InnerNode, 'writes'>,
  onConditionFailed = CONFLICT,
): WriteAction {
  return {
    Put: {
      Item: {
        ...innerNodeKey(list.name, from),
        ...toStored(current.children),
        shape_version: current.shapeVersion,
        until: current.until,
        writes: 0,
      },
      ...isNew,
    },
    onConditionFailed,
  }
}

/** The root's attributes and the first inner node of a list with `count` entries in a single range. */
export function firstNodes(
  list: List,
  count: number,
  { onConditionFailed = CONFLICT, shapeVersion = 1 } = {},
) {
  const children = [{ from: '', count }]
  const root: RootAttributes = { ...toStored(children), shape_version: shapeVersion }
  return { root, node: putInnerNode(list, '', { children, shapeVersion, until: '' }, onConditionFailed) }
}

/** For a record that is a list's root: the attributes of an empty list, and the write of its first node. */
export function emptyListNodes(list: List): { root: RootAttributes; action: Action } {
  const { root, node } = firstNodes(list, 0, { onConditionFailed: `list-exists:${list.name}` })
  return { root, action: node }
}
