// Remembers which requests were allowed, so that policies are evaluated once for calls of the same kind.
import type { AccessRequest, Statement } from './policy.ts'

const LEADING_KEYS = 'dynamodb:LeadingKeys'
/** A function makes some hundred kinds of requests. More are forgotten together and evaluated again. */
const MAX_REMEMBERED = 5_000

export type Remembered = {
  /** Equal for requests that the statements cannot tell apart. */
  nameOf(request: AccessRequest): string
  has(name: string): boolean
  add(name: string): void
}

/** Partition keys are told apart by their kind only (`POST#7`), unless a pattern tells more of them apart. */
export function openRemembered(statements: Statement[]): Remembered {
  const patterns = statements.flatMap(({ Condition }) =>
    Object.values(Condition).flatMap(byKey => byKey[LEADING_KEYS] ?? []),
  )
  const allowed = new Set<string>()
  const uniformKinds = new Map<string, boolean>()

  function classOf(partitionKey: string): string {
    const end = partitionKey.indexOf('#') + 1
    if (end === 0) return partitionKey
    const kind = partitionKey.slice(0, end)
    const isUniform = uniformKinds.get(kind) ?? !patterns.some(pattern => tellsApart(pattern, kind))
    uniformKinds.set(kind, isUniform)
    return isUniform ? kind : partitionKey
  }

  return {
    nameOf: ({ action, resource, context }) => {
      const values = Object.entries(context).map(([key, all]) => [
        key,
        key === LEADING_KEYS ? [...new Set(all.map(classOf))] : all,
      ])
      return JSON.stringify([action, resource, values])
    },
    has: name => allowed.has(name),
    add: name => {
      if (allowed.size >= MAX_REMEMBERED) {
        allowed.clear()
        uniformKinds.clear()
      }
      allowed.add(name)
    },
  }
}

/** Whether the pattern matches some of the keys that begin with `kind` (`POST#`) and not others. */
function tellsApart(pattern: string, kind: string): boolean {
  const wildcardAt = pattern.search(/[*?]/)
  if (wildcardAt < 0) return pattern.startsWith(kind)
  const literal = pattern.slice(0, wildcardAt)
  const matchesAll = pattern === `${literal}*` && kind.startsWith(literal)
  const matchesNone = !kind.startsWith(literal) && !literal.startsWith(kind)
  return !matchesAll && !matchesNone
}
