// One function's calls before its role's policies: what they need of them is noted, and so is what is denied.
import { arn } from '../account.ts'
import { type AccessRequest, grantOf, type Rule, ruleOf, type Statement } from './policy.ts'

/** Permissions go by name. */
export type Note = { used: string } | { denied: string }

/** Why the function may not do all of it, in AWS's words and more; undefined: it may. */
export type Judge = (requests: AccessRequest[]) => string | undefined

export function judgeOf(functionId: string, statements: Statement[], note: (note: Note) => void): Judge {
  const rules = statements.map(ruleOf)
  const known = new Set<string>()
  return requests => {
    for (const request of requests) {
      const grant = grantOf(rules, request)
      if (!grant) {
        const denied = problemOf(functionId, request)
        note({ denied })
        return denied
      }
      for (const used of namesOf(functionId, grant.rule, grant.by)) {
        if (!known.has(used)) note({ used })
        known.add(used)
      }
    }
    return undefined
  }
}

/** The names of all that the statements let the function do. */
export function grantedBy(functionId: string, statements: Statement[]): string[] {
  return statements
    .map(ruleOf)
    .filter(({ effect }) => effect === 'Allow')
    .flatMap(rule => namesOf(functionId, rule, rule.patterns))
}

/** A kind of record is one permission, whether it is one partition or has many. */
function namesOf(functionId: string, { actions, part }: Rule, patterns: string[]): string[] {
  const attributes = part.length > 0 ? ` (${part.join(', ')})` : ''
  return patterns.map(
    pattern => `${functionId}: ${actions.join(', ')} of ${pattern.replace(/#\*$/, '')}${attributes}`,
  )
}

function problemOf(functionId: string, { action, resource, context }: AccessRequest): string {
  const looked = Object.entries(context).map(([key, values]) => `${key} ${values.join(', ') || 'unknown'}`)
  const having = looked.length > 0 ? ` with ${looked.join(' and ')}` : ''
  const user = arn('sts', `assumed-role/${functionId}`)
  return `User: ${user} is not authorized to perform: ${action} on resource: ${resource}${having}, because no policy of its role in the template allows it`
}
