// The writes that begin, split and join a counted list's nodes, each under the condition that makes it right.

import { type Action, CONFLICT, type Simple, type Update } from '../table/action.ts'
import { isNew } from '../table/conditions.ts'
import { innerNodeKey } from '../table/design.ts'
import type { Key } from '../table/key.ts'
import type { Child } from './directory.ts'
import { type InnerNode, type List, type Root, type RootAttributes, stored } from './list.ts'

/** Replaces the children of a root, so long as they and their counts are those that were read. */
export function reshapeRoot(list: List, was: Root, children: Child[]): Simple {
  return {
    Update: replacing(
      list.root,
      { ...stored(children), structure: was.shapeVersion + 1 },
      { structure: was.shapeVersion, counts: stored(was.children).counts },
    ),
    onConditionFailed: CONFLICT,
  }
}

/** Replaces the children of an inner node, so long as nothing below it was written since it was read. */
export function reshapeInnerNode(
  list: List,
  from: string,
  was: InnerNode,
  current: Omit<InnerNode, 'writes'>,
): Simple {
  return {
    Update: replacing(
      innerNodeKey(list.name, from),
      { ...stored(current.children), structure: current.shapeVersion, until: current.until },
      { structure: was.shapeVersion, writes: was.writes },
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

export function removeInnerNode(list: List, from: string, was: InnerNode): Simple {
  return {
    Delete: {
      Key: innerNodeKey(list.name, from),
      ConditionExpression: '#structure = :structure AND #writes = :writes',
      ExpressionAttributeNames: { '#structure': 'structure', '#writes': 'writes' },
      ExpressionAttributeValues: { ':structure': was.shapeVersion, ':writes': was.writes },
    },
    onConditionFailed: CONFLICT,
  }
}

/** Puts an inner node that must not be there yet. */
export function putInnerNode(
  list: List,
  from: string,
  current: Omit<InnerNode, 'writes'>,
  onConditionFailed = CONFLICT,
): Simple {
  return {
    Put: {
      Item: {
        ...innerNodeKey(list.name, from),
        ...stored(current.children),
        structure: current.shapeVersion,
        until: current.until,
        writes: 0,
      },
      ...isNew,
    },
    onConditionFailed,
  }
}

/** The nodes of a list of `count` entries in one range: what its root holds, and its first inner node. */
export function firstDirectory(
  list: List,
  count: number,
  { onConditionFailed = CONFLICT, shapeVersion = 1 } = {},
) {
  const children = [{ from: '', count }]
  const root: RootAttributes = { ...stored(children), structure: shapeVersion }
  return { root, node: putInnerNode(list, '', { children, shapeVersion, until: '' }, onConditionFailed) }
}

/** For the creator of a record that is a list's root: its attributes, and the action that goes with them. */
export function emptyDirectory(list: List): { root: RootAttributes; action: Action } {
  const { root, node } = firstDirectory(list, 0, { onConditionFailed: `list-exists:${list.name}` })
  return { root, action: node }
}
