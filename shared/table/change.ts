// Writes members of an item and leaves its others as they are: a newer version may have added some.
type Members = Record<string, unknown>
type WithRevision = Members & { revision: number }

type Condition = {
  ConditionExpression?: string
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues?: Record<string, unknown>
}

/** Sets these members, and removes those that are undefined. Creates the item if there is none. */
export function setMembers(members: Members, condition: Condition = {}) {
  const numbered = Object.entries(members).map(([name, value], n) => ({ name, value, n }))
  const set = numbered.filter(({ value }) => value !== undefined)
  const removed = numbered.filter(({ value }) => value === undefined)
  const parts = [
    ...(set.length > 0 ? [`SET ${set.map(({ n }) => `#n${n} = :v${n}`).join(', ')}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed.map(({ n }) => `#n${n}`).join(', ')}`] : []),
  ]
  return {
    ...condition,
    UpdateExpression: parts.join(' '),
    ExpressionAttributeNames: {
      ...condition.ExpressionAttributeNames,
      ...Object.fromEntries(numbered.map(({ name, n }) => [`#n${n}`, name])),
    },
    ExpressionAttributeValues: {
      ...condition.ExpressionAttributeValues,
      ...Object.fromEntries(set.map(({ value, n }) => [`:v${n}`, value])),
    },
  }
}

/**
 * Writes only what differs, so that a function needs permission for that alone. The condition is the revision
 * that was read, unless there is another one.
 */
export function changeOf(
  before: WithRevision,
  after: Members,
  condition?: Condition,
): ReturnType<typeof setMembers>
export function changeOf(before: Members, after: Members, condition: Condition): ReturnType<typeof setMembers>
export function changeOf(
  before: Members,
  after: Members,
  condition: Condition = isAsReadAt(before.revision),
) {
  const names = Object.keys({ ...before, ...after }).filter(name => !isSame(before[name], after[name]))
  return setMembers(Object.fromEntries(names.map(name => [name, after[name]])), condition)
}

function isAsReadAt(revision: unknown): Condition {
  return { ConditionExpression: 'revision = :read', ExpressionAttributeValues: { ':read': revision } }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
