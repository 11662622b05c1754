// Updates only the attributes of a record that differ, so that a function needs permission for those alone.
type WithRevision = Record<string, unknown> & { revision: number }

/** The condition is the revision that was read. Attributes are set, never removed. */
export function changeOf(before: WithRevision, after: WithRevision) {
  const names = Object.keys(after).filter(name => !isSame(before[name], after[name]))
  return {
    UpdateExpression: `SET ${names.map((_, n) => `#n${n} = :v${n}`).join(', ')}`,
    ConditionExpression: 'revision = :read',
    ExpressionAttributeNames: Object.fromEntries(names.map((name, n) => [`#n${n}`, name])),
    ExpressionAttributeValues: {
      ':read': before.revision,
      ...Object.fromEntries(names.map((name, n) => [`:v${n}`, after[name]])),
    },
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
