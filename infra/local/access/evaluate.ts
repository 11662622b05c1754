// Evaluates a function's calls against the policies of its role. Notes used permissions and denials.
import { arn } from '../account.ts'
import { type AccessRequest, compileStatement, findGrant, type Rule, type Statement } from './policy.ts'
import { openRemembered } from './remembered.ts'

/** The name of a used permission, or the message of a denial. */
export type AccessNote = { used: string } | { denied: string }

/** Returns the message of the first denial, worded like AWS's; undefined if all requests are allowed. */
export type Evaluator = (requests: AccessRequest[]) => string | undefined

export function createEvaluator(
  functionId: string,
  statements: Statement[],
  note: (note: AccessNote) => void,
): Evaluator {
  const rules = statements.map(compileStatement)
  const reported = new Set<string>()
  const remembered = openRemembered(statements)
  return requests => {
    for (const request of requests) {
      const name = remembered.nameOf(request)
      if (remembered.has(name)) continue
      const grant = findGrant(rules, request)
      if (!grant) {
        const denied = denialOf(functionId, request)
        note({ denied })
        return denied
      }
      for (const used of namesOf(functionId, grant.rule, grant.patterns)) {
        if (!reported.has(used)) note({ used })
        reported.add(used)
      }
      remembered.add(name)
    }
    return undefined
  }
}

/** The names of all permissions that the statements grant. */
export function grantedBy(functionId: string, statements: Statement[]): string[] {
  return statements
    .map(compileStatement)
    .filter(({ effect }) => effect === 'Allow')
    .flatMap(rule => namesOf(functionId, rule, rule.patterns))
}

/** A kind of record counts as one permission, whether it has one partition key or many (`KIND#*`). */
function namesOf(functionId: string, { actions, attributes }: Rule, patterns: string[]): string[] {
  const suffix = attributes.length > 0 ? ` (${attributes.join(', ')})` : ''
  return patterns.map(
    pattern => `${functionId}: ${actions.join(', ')} of ${pattern.replace(/#\*$/, '')}${suffix}`,
  )
}

function denialOf(functionId: string, { action, resource, context }: AccessRequest): string {
  const conditions = Object.entries(context).map(
    ([key, values]) => `${key} ${values.join(', ') || 'unknown'}`,
  )
  const having = conditions.length > 0 ? ` with ${conditions.join(' and ')}` : ''
  const user = arn('sts', `assumed-role/${functionId}`)
  return `User: ${user} is not authorized to perform: ${action} on resource: ${resource}${having}, because no policy of its role in the template allows it`
}
