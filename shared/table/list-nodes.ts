// The writes that begin, split and join a counted list's nodes, each under the condition that makes it right.
import { type Action, type Simple, STALE, type Update } from './action.ts'
import { middleKey } from './design.ts'
import type { Child } from './directory.ts'
import type { Key } from './key.ts'
import { type List, type Middle, type Root, type RootAttributes, stored } from './list.ts'

/** Replaces the children of a root, so long as they and their counts are those that were read. */
export const reshapeRoot = (list: List, was: Root, children: Child[]): Simple => ({
  Update: replacing(
    list.root,
    { ...stored(children), structure: was.structure + 1 },
    { structure: was.structure, counts: stored(was.children).counts },
  ),
  refused: STALE,
})

/** Replaces the children of a middle node, so long as nothing below it was written since it was read. */
export const reshapeMiddle = (
  list: List,
  from: string,
  was: Middle,
  now: Omit<Middle, 'writes'>,
): Simple => ({
  Update: replacing(
    middleKey(list.name, from),
    { ...stored(now.children), structure: now.structure, until: now.until },
    { structure: was.structure, writes: was.writes },
  ),
  refused: STALE,
})

const replacing = (Key: Key, now: Record<string, unknown>, was: Record<string, unknown>): Update => ({
  Key,
  UpdateExpression: `SET ${Object.keys(now)
    .map(name => `#${name} = :${name}`)
    .join(', ')}`,
  ConditionExpression: Object.keys(was)
    .map(name => `#${name} = :was_${name}`)
    .join(' AND '),
  ExpressionAttributeNames: Object.fromEntries(
    Object.keys({ ...now, ...was }).map(name => [`#${name}`, name]),
  ),
  ExpressionAttributeValues: Object.fromEntries([
    ...Object.entries(now).map(([name, value]) => [`:${name}`, value]),
    ...Object.entries(was).map(([name, value]) => [`:was_${name}`, value]),
  ]),
})

export const removeMiddle = (list: List, from: string, was: Middle): Simple => ({
  Delete: {
    Key: middleKey(list.name, from),
    ConditionExpression: '#structure = :structure AND #writes = :writes',
    ExpressionAttributeNames: { '#structure': 'structure', '#writes': 'writes' },
    ExpressionAttributeValues: { ':structure': was.structure, ':writes': was.writes },
  },
  refused: STALE,
})

/** Puts a middle node that must not be there yet. */
export const putMiddle = (
  list: List,
  from: string,
  now: Omit<Middle, 'writes'>,
  refused = STALE,
): Simple => ({
  Put: {
    Item: {
      ...middleKey(list.name, from),
      ...stored(now.children),
      structure: now.structure,
      until: now.until,
      writes: 0,
    },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refused,
})

/** The nodes of a list of `count` entries in one range: what its root holds, and its first middle node. */
export const firstDirectory = (list: List, count: number, { refused = STALE, structure = 1 } = {}) => {
  const children = [{ from: '', count }]
  const root: RootAttributes = { ...stored(children), structure }
  return { root, middle: putMiddle(list, '', { children, structure, until: '' }, refused) }
}

/** For the creator of a record that is a list's root: its attributes, and the action that goes with them. */
export const emptyDirectory = (list: List): { root: RootAttributes; action: Action } => {
  const { root, middle } = firstDirectory(list, 0, { refused: `list-exists:${list.name}` })
  return { root, action: middle }
}
