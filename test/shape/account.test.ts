// What of a stage fits into its account and region, and which account a deployment uses.
import { describe, expect, it } from 'vitest'
import { accountOf, missingAccess } from '../../infra/deploy/deployed-stack.ts'
import { adviceFor, refusedIn, workersAtOnce } from '../../infra/deploy/limits.ts'
import { readSettings } from '../../infra/stage-settings.ts'
import { QUEUE_WORKERS } from '../../shared/service/workers.ts'

const settings = readSettings(() => undefined)

describe('the workers of a stage', () => {
  it('have at most 20 concurrent runs for each queue, and two with the smallest value', () => {
    for (const { maxConcurrency } of Object.values(QUEUE_WORKERS)) {
      expect(maxConcurrency).toBeGreaterThanOrEqual(2)
      expect(maxConcurrency).toBeLessThanOrEqual(20)
    }
    expect(workersAtOnce(2)).toBe(2 * Object.keys(QUEUE_WORKERS).length + 1)
    expect(workersAtOnce(20)).toBeGreaterThan(workersAtOnce(5))
  })
})

describe('adviceFor', () => {
  const advise = (quota: number, maxConcurrency: number) =>
    adviceFor({ quota, rate: 10_000 }, { ...settings, maxConcurrency })
  const [five, two] = [workersAtOnce(5), workersAtOnce(2)]

  it('allows a stage whose workers leave twenty runs for requests', () => {
    expect(advise(1000, 5)).toEqual([
      { text: expect.stringContaining(`leaves ${1000 - five} for requests.`), mayDeploy: true },
    ])
    expect(advise(five + 20, 5)[0]?.mayDeploy).toBe(true)
  })

  it('names the largest maxConcurrency that fits', () => {
    const [advice] = advise(five + 19, 5)
    expect(advice?.mayDeploy).toBe(false)
    expect(advice?.text).toContain('Deploy with -c maxConcurrency=4, and keep it in infra/stages.ts.')
    expect(advise(10, 5)[0]?.text).toContain('-c maxConcurrency=2')
  })

  it('of a new account says how many requests it answers, and asks for a higher quota', () => {
    const [runs, rate] = advise(10, 2)
    expect(runs).toEqual({
      text: expect.stringContaining(
        `leaves ${Math.max(0, 10 - two)} for requests: under load, readers get 503. Ask for`,
      ),
      mayDeploy: true,
    })
    expect(rate?.text).toContain('admit 350 requests a second, but the account takes 100')
  })

  it('warns if the tiers together admit more than the gateways of the account take', () => {
    const wanted = { ...settings, ratePerSecond: { public: 2_000, me: 1_000, admin: 100 } }
    expect(adviceFor({ quota: undefined, rate: 2_500 }, wanted)).toEqual([
      {
        text: expect.stringContaining('admit 3100 requests a second, but the account takes 2500'),
        mayDeploy: true,
      },
    ])
    expect(adviceFor({ quota: undefined, rate: undefined }, wanted)).toEqual([])
  })
})

describe('refusedIn', () => {
  const wanted = { mailSender: 'content@example.com', monthlyBudgetUsd: 50 }

  it('names the values that a region refuses', () => {
    expect(refusedIn('us-east-1', wanted)).toEqual([])
    expect(refusedIn('eu-north-1', wanted).map(({ value }) => value)).toEqual(['monthlyBudgetUsd'])
    expect(refusedIn('eu-south-2', wanted).map(({ text }) => text)).toEqual([
      'CloudFormation has no SES in eu-south-2: remove mailSender from the stage in infra/stages.ts.',
      'CloudFormation has no budgets in eu-south-2: remove monthlyBudgetUsd from the stage in infra/stages.ts.',
    ])
  })

  it('has nothing against a stage without them', () => {
    expect(refusedIn('eu-south-2', settings)).toEqual([])
  })
})

describe('accountOf', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  const ofKeys = { credentials: { accessKeyId: 'id', secretAccessKey: 'secret' } }
  type Given = { profile?: string; region?: string }
  it.each<[Given, Record<string, string>, object]>([
    [{ profile: 'ada' }, {}, { profile: 'ada' }],
    [{ profile: 'ada' }, { AWS_PROFILE: 'bob' }, { profile: 'ada' }],
    [{ profile: 'ada', region: 'us-west-2' }, {}, { profile: 'ada', region: 'us-west-2' }],
    [{ profile: 'ada' }, { AWS_REGION: 'ap-south-1' }, { profile: 'ada', region: 'ap-south-1' }],
    [{ profile: 'ada', region: 'us-west-2' }, keys, { profile: 'ada', region: 'us-west-2' }],
    [{}, { AWS_PROFILE: 'bob' }, { profile: 'bob' }],
    [{}, { AWS_DEFAULT_PROFILE: 'bob', AWS_DEFAULT_REGION: 'x' }, { profile: 'bob', region: 'x' }],
    [{}, { ...keys, AWS_PROFILE: 'bob' }, ofKeys],
    [{ region: 'us-west-2' }, keys, { ...ofKeys, region: 'us-west-2' }],
    [{}, { ...keys, AWS_SESSION_TOKEN: 't' }, { credentials: { ...ofKeys.credentials, sessionToken: 't' } }],
    [{}, {}, {}],
  ])('finds for %j and %j the account %j', ({ profile, region }, env, account) => {
    expect(accountOf({ profile, region }, env)).toEqual(account)
  })
})

describe('missingAccess', () => {
  it('leaves it to the SDK to say how an expired session is refreshed', () => {
    const message =
      'The SSO session associated with this profile has expired. ' +
      'To refresh this SSO session run aws sso login with the corresponding profile.'
    const expired = Object.assign(new Error(message), { name: 'CredentialsProviderError' })
    expect(missingAccess(expired)).toBe(message)
  })

  it('says nothing about another failure', () => {
    expect(missingAccess(new Error('connect ECONNREFUSED'))).toBeUndefined()
  })
})
