// Tests what an attacker could do to the table with the role of each function, by its policies.
import { describe, expect, inject, it } from 'vitest'
import * as z from 'zod/mini'
import { SECRET_VARIABLES } from '../../shared/runtime/parameters.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
import { ALLOWED } from './allowed-attempts.ts'
import { ATTEMPTS, type Call } from './attempts.ts'
import { idOf, plain, policiesOf, readTemplate } from './synthesized.ts'

const template = readTemplate(inject('assembly'))

const many = z.union([z.array(z.string()), z.string()])
const Condition = z.object({
  'ForAllValues:StringLike': z.optional(z.object({ 'dynamodb:LeadingKeys': many })),
})
const Statements = z.array(
  z.object({ Action: many, Resource: z.unknown(), Condition: z.optional(Condition) }),
)

/** The policy of a function's role. */
function statementsOf(name: string) {
  return policiesOf(template)
    .filter(({ role }) => role === `${idOf(name)}role`)
    .flatMap(({ statements }) => Statements.parse(statements))
}

/** With one asterisk at most. */
function matches(pattern: string, text: string): boolean {
  const [start = '', end] = pattern.split('*')
  return end === undefined ? text === start : text.startsWith(start) && text.endsWith(end)
}

function isAllowed(name: string, { action, pk }: Call): boolean {
  return statementsOf(name).some(({ Action, Resource, Condition }) => {
    const keys = [Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? []].flat()
    return (
      [Action].flat().includes(`dynamodb:${action}`) &&
      !JSON.stringify(Resource).includes('/index/') &&
      keys.some(key => matches(key, pk))
    )
  })
}

const NAMES = Object.keys({ ...API_FUNCTIONS, ...QUEUE_WORKERS, ...SCHEDULED_WORKERS })

describe('the role', () => {
  it.each(NAMES)('of %s allows only the attempts that are listed', name => {
    const allowed = Object.entries(ATTEMPTS).flatMap(([what, call]) => (isAllowed(name, call) ? [what] : []))
    const listed = ALLOWED[name] ?? []
    const advice = `Declare less access of ${name} in shared/service/. If it must do this for its callers, list the attempt in
      ALLOWED of test/shape/allowed-attempts.ts.`
    expect(allowed.toSorted(), advice).toEqual(listed.toSorted())
  })

  it('is listed for no function that does not exist', () => {
    expect(Object.keys(ALLOWED).filter(name => !NAMES.includes(name))).toEqual([])
  })
})

const Properties = z.object({
  Environment: z.optional(z.object({ Variables: z.record(z.string(), z.unknown()) })),
})
const variables = template.of('AWS::Lambda::Function').map(({ id, properties }) => ({
  name: plain(id),
  variables: Properties.parse(properties).Environment?.Variables ?? {},
}))

describe('the key of links in mails and webhook secrets', () => {
  it('is given only to the functions that make or read them', () => {
    const knowing = variables.filter(({ variables }) => variables.PRIVATE_KEY_SECRET).map(({ name }) => name)
    expect(knowing.toSorted()).toEqual(['admin', 'auth', 'community', 'deliverwebhooks', 'jobs'])
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
      statementsOf(name).filter(({ Action }) => JSON.stringify(Action).includes('secretsmanager:'))
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
