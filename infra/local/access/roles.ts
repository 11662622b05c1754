// Reads the permissions of each function from the inline policies of its role.
import * as z from 'zod/mini'
import type { Resolve } from '../template/resolver.ts'
import type { Resource, Template } from '../template/template.ts'
import type { Statement } from './policy.ts'

/** Services whose calls are checked. The local run emulates no others, and cannot resolve their resources. */
const ENFORCED = /^(\*|dynamodb:|sqs:|ses:|secretsmanager:)/

const texts = z.union([
  z.array(z.string()),
  z.pipe(
    z.string(),
    z.transform(text => [text]),
  ),
])
/** Strict, so that an element that IAM evaluates is never ignored here. */
const statement = z.strictObject({
  Sid: z.optional(z.string()),
  Effect: z.enum(['Allow', 'Deny']),
  Action: texts,
  Resource: texts,
  Condition: z._default(z.record(z.string(), z.record(z.string(), texts)), {}),
})
const policy = z.object({ PolicyDocument: z.object({ Statement: z.array(z.looseObject({})) }) })
const role = z.object({ Policies: z._default(z.array(policy), []) })

/** The resolved statements of a function's role. Managed policies are not in the template and not applied. */
export function statementsOf({ properties }: Resource, template: Template, resolve: Resolve): Statement[] {
  const rolesIn = (value: unknown) => template.referencesIn(value, 'AWS::IAM::Role')
  const [roleId = ''] = rolesIn(properties.Role)
  const attached = template
    .resourcesOf('AWS::IAM::Policy')
    .filter(({ properties }) => rolesIn(properties.Roles).includes(roleId))
    .map(({ properties }) => policy.parse(properties))
  const { Policies: inline } = role.parse(template.findResource(roleId)?.properties ?? {})
  return [...inline, ...attached]
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter(({ Action }) => [Action].flat().some(action => ENFORCED.test(String(action))))
    .map(raw => statement.parse(resolve(raw)))
}
