// One function's calls before its role's policies: what they need of them is noted, and so is what is denied.
import { arn } from '../account.ts'
import { type AccessRequest, compileStatement, findGrant, type Rule, type Statement } from './policy.ts'

/** Permissions go by name. */
export type AccessNote = { used: string } | { denied: string }

/** Why the function may not do all of it, in AWS's words and more; undefined: it may. */
export type Evaluator = (requests: AccessRequest[]) => string | undefined

export function createEvaluator(
  functionId: string,
  statements: Statement[],
  note: (note: AccessNote) => void,
): Evaluator {
  const rules = statements.map(compileStatement)
  const known = new Set<string>()
  return requests => {
    for (const request of requests) {
      const grant = findGrant(rules, request)
      if (!grant) {
        const denied = denialOf(functionId, request)
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
    .map(compileStatement)
    .filter(({ effect }) => effect === 'Allow')
    .flatMap(rule => namesOf(functionId, rule, rule.patterns))
}

/** A kind of record is one permission, whether it is one partition or has many. */
function namesOf(functionId: string, { actions, attributes }: Rule, patterns: string[]): string[] {
  const suffix = attributes.length > 0 ? ` (${attributes.join(', ')})` : ''
  return patterns.map(
    pattern => `${functionId}: ${actions.join(', ')} of ${pattern.replace(/#\*$/, '')}${suffix}`,
  )
}

function denialOf(functionId: string, { action, resource, context }: AccessRequest): string {
  const looked = Object.entries(context).map(([key, values]) => `${key} ${values.join(', ') || 'unknown'}`)
  const having = looked.length > 0 ? ` with ${looked.join(' and ')}` : ''
  const user = arn('sts', `assumed-role/${functionId}`)
  return `User: ${user} is not authorized to perform: ${action} on resource: ${resource}${having}, because no policy of its role in the template allows it`
}
