// A change of a record as an update: only of the members that differ, so that a role may be let do no more.

type Versioned = Record<string, unknown> & { revision: number }

/** Holds for the revision that was read. Members are set, never taken away. */
export function changeOf(before: Versioned, after: Versioned) {
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
