// The conditional writes that create, reshape and delete a counted list's nodes.

import { type Action, CONFLICT, type Update, type WriteAction } from '../table/action.ts'
import { isNew } from '../table/conditions.ts'
import { innerNodeKey } from '../table/design.ts'
import type { Key } from '../table/key.ts'
import type { Child } from './children.ts'
import { type InnerNode, type List, type Root, type RootAttributes, toStored } from './list.ts'

/**
 * Replaces the children of a root. Fails with CONFLICT if they or their counts changed since they were read.
 */
export function reshapeRoot(list: List, was: Root, children: Child[]): WriteAction {
  return {
    Update: replacing(
      list.root,
      { ...toStored(children), shape_version: was.shapeVersion + 1 },
      { shape_version: was.shapeVersion, counts: toStored(was.children).counts },
    ),
    onConditionFailed: CONFLICT,
  }
}

/** Replaces the children of an inner node. Fails with CONFLICT if anything below it was written since. */
export function reshapeInnerNode(
  list: List,
  from: string,
  was: InnerNode,
  current: Omit<InnerNode, 'writes'>,
): WriteAction {
  return {
    Update: replacing(
      innerNodeKey(list.name, from),
      { ...toStored(current.children), shape_version: current.shapeVersion, until: current.until },
      { shape_version: was.shapeVersion, writes: was.writes },
    ),
    onConditionFailed: CONFLICT,
  }
}

function replacing(Key: Key, current: Record<string, unknown>, was: Record<string, unknown>): Update {
  return {
    Key,
    UpdateExpression: `SET ${Object.keys(current)
      .map(name => `#${name} = :${name}`)
      .join(', ')}`,
    ConditionExpression: Object.keys(was)
      .map(name => `#${name} = :was_${name}`)
      .join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(
      Object.keys({ ...current, ...was }).map(name => [`#${name}`, name]),
    ),
    ExpressionAttributeValues: Object.fromEntries([
      ...Object.entries(current).map(([name, value]) => [`:${name}`, value]),
      ...Object.entries(was).map(([name, value]) => [`:was_${name}`, value]),
    ]),
  }
}

export function removeInnerNode(list: List, from: string, was: InnerNode): WriteAction {
  return {
    Delete: {
      Key: innerNodeKey(list.name, from),
      ConditionExpression: '#shape_version = :shape_version AND #writes = :writes',
      ExpressionAttributeNames: { '#shape_version': 'shape_version', '#writes': 'writes' },
      ExpressionAttributeValues: { ':shape_version': was.shapeVersion, ':writes': was.writes },
    },
    onConditionFailed: CONFLICT,
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
