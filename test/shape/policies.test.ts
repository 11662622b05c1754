// Checks that infra/policies has the documents of its policies.ts, and these all that programs call.
import { describe, expect, it } from 'vitest'
import { cloudFormationPolicy, DEPLOYER, OPERATOR, textOf } from '../../infra/policies/policies.ts'
import { sources } from './sources.ts'
import { EVERY_VALUE, synthesize } from './synthesize.ts'

const cloudFormation = cloudFormationPolicy(synthesize(EVERY_VALUE).resources.map(({ type }) => type))

function actionsIn({ Statement }: typeof DEPLOYER): string[] {
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
  it.each([
    ['deployer', DEPLOYER],
    ['operator', OPERATOR],
    ['cloudformation', cloudFormation],
  ])(
    '%s.json is the text of infra/policies/policies.ts; `npm test -- test/shape/policies.test.ts -u` writes it',
    async (name, document) => {
      await expect(textOf(document)).toMatchFileSnapshot(`../../infra/policies/${name}.json`)
      // IAM takes 6,144 characters for a managed policy.
      expect(JSON.stringify(document).length).toBeLessThan(6_144)
    },
  )

  it('allow the operator all that its commands call', () => {
    const called = calledIn(/^infra\/operator\/|^shared\/(table|events|aws)\//).map(allowedAs)
    expect(called.length).toBeGreaterThan(10)
    expect(called.filter(name => !actionsIn(OPERATOR).includes(name))).toEqual([])
  })

  it('allow the deployer all that `npm run deploy` calls', () => {
    const called = calledIn(/^infra\/deploy\//)
    expect(called.length).toBeGreaterThan(4)
    expect(called.filter(name => !actionsIn(DEPLOYER).includes(name))).toEqual([])
  })
})
