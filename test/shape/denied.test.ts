// Tests what an attacker could do to the table with the role of each function, by its policies.
import { describe, expect, inject, it } from 'vitest'
import * as z from 'zod/mini'
import { arn } from '../../infra/local/account.ts'
import { SECRET_VARIABLES } from '../../shared/runtime/secret-names.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
import { ALSO_ALLOWED, OF_API_FUNCTIONS } from './allowed-attempts.ts'
import { ATTEMPTS } from './attempts.ts'
import { dynamodbRequests } from './iam/calls.ts'
import { compileStatement, findGrant, type Statement } from './iam/policy.ts'
import { idOf, plain, policiesOf, readTemplate } from './synthesized.ts'

const TABLE = arn('dynamodb', 'table/T')

const many = z.union([z.array(z.string()), z.string()])
const Statements = z.array(
  z.object({
    Action: many,
    Resource: z.unknown(),
    Condition: z._default(z.record(z.string(), z.record(z.string(), z.unknown())), {}),
  }),
)

/** The statements about the table in the policies of a function's role. */
function statementsOf(name: string): Statement[] {
  return policiesOf(template)
    .filter(({ role }) => role === `${idOf(name)}role`)
    .flatMap(({ statements }) => Statements.parse(statements))
    .filter(
      ({ Action, Resource }) =>
        [Action].flat()[0]?.startsWith('dynamodb:') && !JSON.stringify(Resource).includes('/index/'),
    )
    .map(({ Action, Condition }) => ({
      Effect: 'Allow' as const,
      Action: [Action].flat(),
      Resource: [TABLE],
      Condition: Object.fromEntries(
        Object.entries(Condition).map(([operator, byKey]) => [
          operator,
          Object.fromEntries(
            Object.entries(byKey).map(([key, values]) => [key, [values].flat().map(String)]),
          ),
        ]),
      ),
    }))
}

const template = readTemplate(inject('assembly'))

const KEYS = new Map([[TABLE, 'pk']])

const NAMES = Object.keys({ ...API_FUNCTIONS, ...QUEUE_WORKERS, ...SCHEDULED_WORKERS })

describe('the role', () => {
  it.each(NAMES)('of %s allows only the attempts that are listed', name => {
    const rules = statementsOf(name).map(compileStatement)
    const isAllowed = (call: { operation: string; input: unknown }) =>
      dynamodbRequests(call, KEYS).every(request => findGrant(rules, request))
    const allowed = Object.entries(ATTEMPTS).flatMap(([what, call]) => (isAllowed(call) ? [what] : []))
    const listed = [...(name in API_FUNCTIONS ? OF_API_FUNCTIONS : []), ...(ALSO_ALLOWED[name] ?? [])]
    const advice = `Declare less access of ${name} in shared/service/. If it must do this for its callers, list the attempt in
      ALSO_ALLOWED of test/shape/allowed-attempts.ts.`
    expect(allowed.toSorted(), advice).toEqual([...new Set(listed)].toSorted())
  })

  it('is listed for no function that does not exist', () => {
    expect(Object.keys(ALSO_ALLOWED).filter(name => !NAMES.includes(name))).toEqual([])
  })
})

describe('every attempt', () => {
  it('names the partition of its record, without which it would be denied to all', () => {
    for (const [what, call] of Object.entries(ATTEMPTS)) {
      for (const { context } of dynamodbRequests(call, KEYS)) {
        expect([what, context['dynamodb:LeadingKeys']]).toEqual([what, [expect.any(String)]])
      }
    }
  })
})

const Properties = z.object({
  Environment: z.optional(z.object({ Variables: z.record(z.string(), z.unknown()) })),
})
const variables = template.of('AWS::Lambda::Function').map(({ id, properties }) => ({
  name: plain(id),
  variables: Properties.parse(properties).Environment?.Variables ?? {},
}))

describe('the key of links in mails', () => {
  it('is given only to the three functions that create or read links', () => {
    const knowing = variables.filter(({ variables }) => variables.LINK_KEY_SECRET).map(({ name }) => name)
    expect(knowing.toSorted()).toEqual(['auth', 'newsletter', 'sendmail'])
  })
})

describe('the secrets', () => {
  it('are not in the configuration of functions, which has only their ids', () => {
    expect(JSON.stringify(template.of('AWS::Lambda::Function'))).not.toContain('{{resolve:')
    const values = Object.values(SECRET_VARIABLES).filter(name =>
      variables.some(({ variables }) => name in variables),
    )
    expect(values).toEqual([])
  })

  it('are read by a role only if its function declares them', () => {
    const readBy = (name: string) =>
      policiesOf(template)
        .filter(({ role }) => role === `${idOf(name)}role`)
        .flatMap(({ statements }) => Statements.parse(statements))
        .filter(({ Action }) => JSON.stringify(Action).includes('secretsmanager:'))
    for (const [name, { secrets }] of Object.entries({
      ...API_FUNCTIONS,
      ...QUEUE_WORKERS,
      ...SCHEDULED_WORKERS,
    })) {
      const statements = readBy(name)
      const resources = JSON.stringify(statements.map(({ Resource }) => Resource))
      const ids = [...resources.matchAll(/"Ref":"(\w+)"/g)].map(([, id = '']) => plain(id))
      expect(resources).not.toContain('*')
      expect([name, ids.toSorted()]).toEqual([name, secrets.map(plain).toSorted()])
      expect(statements.map(({ Action }) => Action)).toEqual(
        secrets.length > 0 ? ['secretsmanager:GetSecretValue'] : [],
      )
    }
  })
})
