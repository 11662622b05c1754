// Checks that infra/policies allows what the template contains and what the programs call.
import { describe, expect, it } from 'vitest'
import { STACK_PREFIX } from '../../infra/names.ts'
import cloudFormation from '../../infra/policies/cloudformation.json' with { type: 'json' }
import deployer from '../../infra/policies/deployer.json' with { type: 'json' }
import operator from '../../infra/policies/operator.json' with { type: 'json' }
import { sources } from './sources.ts'
import { EVERY_VALUE, synthesize } from './synthesize.ts'

function actionsIn({ Statement }: typeof deployer): string[] {
  return Statement.flatMap(({ Action }) => Action.map(action => action.split(':')[1] ?? ''))
}

/** The operations of AWS that these files call: with the SDK, or with the client of shared/aws. */
function calledIn(path: RegExp): string[] {
  const texts = sources.filter(source => path.test(source.path)).map(({ text }) => text)
  const names = texts.flatMap(text => [
    ...[...text.matchAll(/new (\w+)Command\(/g)].map(([, name = '']) => name),
    ...[...text.matchAll(/\bcall\('(\w+)'/g)].map(([, name = '']) => name),
  ])
  return [...new Set(names)]
}

/** IAM checks the actions in a transaction and of each message of a batch. */
function allowedAs(name: string): string {
  return name.replace(/^(\w+Message\w*)Batch$/, '$1').replace(/^Transact\w+$/, 'ConditionCheckItem')
}

describe('infra/policies', () => {
  it.each(Object.entries({ cloudFormation, deployer, operator }))(
    'has a policy for %s that IAM accepts, for stacks of this service',
    (_, document) => {
      // IAM takes 6,144 characters for a managed policy.
      expect(JSON.stringify(document).length).toBeLessThan(6_144)
      expect(JSON.stringify(document)).toContain(`${STACK_PREFIX}*`)
    },
  )

  it('lets CloudFormation make what the template of a stage with every value contains, and nothing else', () => {
    const types = synthesize(EVERY_VALUE).resources.map(({ type }) => type)
    const services = new Set(types.flatMap(type => /^AWS::(\w+)::/.exec(type)?.[1] ?? []))
    services.delete('CDK')
    const statements = cloudFormation.Statement.filter(({ Sid }) => Sid.startsWith('Make'))
    expect(statements.map(({ Sid }) => Sid)).toEqual([...services].toSorted().map(name => `Make${name}`))
    for (const { Sid, Action } of statements) {
      expect(Action).toContain(`${Sid.replace('Make', '').toLowerCase()}:*`)
    }
  })

  it('allows the operator all that its commands call', () => {
    const called = calledIn(/^infra\/operator\/|^shared\/(table|events|aws)\//).map(allowedAs)
    expect(called.length).toBeGreaterThan(10)
    expect(called.filter(name => !actionsIn(operator).includes(name))).toEqual([])
  })

  it('allows the deployer all that `npm run deploy` calls', () => {
    const called = calledIn(/^infra\/deploy\//)
    expect(called.length).toBeGreaterThan(4)
    expect(called.filter(name => !actionsIn(deployer).includes(name))).toEqual([])
  })
})
