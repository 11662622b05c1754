// The function of the smoke test on real releases: a good one, and one with two spoilt functions.
import { beforeEach, describe, expect, it } from 'vitest'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { use } from '../world/use.ts'
import { openCloudFormation, SIGNATURE } from './cloudformation.ts'
import { openRelease } from './release.ts'

const cloudFormation = use(openCloudFormation)
const good = use(() => openRelease(cloudFormation))
/** Two functions answer nothing. */
const bad = use(() => openRelease(cloudFormation, ['public', 'me']))

beforeEach(() => cloudFormation.setStatus('UPDATE_IN_PROGRESS'))

/** No attempt takes that long. On a busy machine, a function that does not load in time is tried again. */
const PATIENT = { LimitSeconds: '100', PausesSeconds: Array(9).fill('1') }
/** For a bad release, in which two functions fail always. */
const BRIEF = { LimitSeconds: '100', PausesSeconds: ['0.01', '0.01'] }

function checksIn(lines: string[]) {
  return lines
    .flatMap(line => (line.includes('"smoke test"') ? [JSON.parse(line.slice(line.indexOf('{')))] : []))
    .map(({ function: name, status }) => [name, status])
}

describe('the smoke test of a good release', () => {
  it('succeeds after one request to each function that answers requests', async () => {
    await good.run(cloudFormation.event('Update', { ...good.properties, ...PATIENT }))
    const [answer, ...others] = cloudFormation.answers()
    expect(others).toEqual([])
    expect(answer?.body).toEqual({
      Status: 'SUCCESS',
      StackId: expect.stringMatching(/^arn:/),
      RequestId: 'request 1',
      LogicalResourceId: 'SmokeTest',
      PhysicalResourceId: 'smoke-test',
    })
    const checks = Object.fromEntries(checksIn(good.lines))
    expect(Object.keys(checks).toSorted()).toEqual(Object.keys(API_FUNCTIONS).toSorted())
    expect(checks).toMatchObject({ public: 200, auth: 401, me: 401, admin: 401 })
  })

  it('succeeds when the stack is created, with the same physical id', async () => {
    await good.run(cloudFormation.event('Create', { ...good.properties, ...PATIENT }))
    expect(cloudFormation.answers()).toMatchObject([
      { body: { Status: 'SUCCESS', PhysicalResourceId: 'smoke-test' } },
    ])
  })

  it('sends the answer without a content type, which the URL does not allow, and never logs the URL', async () => {
    cloudFormation.refuse(2)
    await good.run(cloudFormation.event('Update', { ...good.properties, ...PATIENT }))
    const [answer] = cloudFormation.answers()
    expect(answer?.headers['content-type']).toBeUndefined()
    expect(answer?.path).toContain(SIGNATURE)
    cloudFormation.refuse(3)
    await expect(good.run(cloudFormation.event('Delete', {}))).rejects.toThrow('status 503')
    expect(good.lines.join('\n')).not.toContain(SIGNATURE)
  })
})

/** Few requests, so that the other functions load in time on a busy machine. */
function badProperties() {
  const names = ['public', 'me', 'auth']
  const Requests = bad.properties.Requests.filter(request => names.includes(request.Function))
  return { ...bad.properties, ...BRIEF, Requests }
}

describe('the smoke test of a bad release', () => {
  it('fails with a reason that names the spoilt functions, the answer and the logs to read', async () => {
    await bad.run(cloudFormation.event('Update', badProperties()))
    const [answer] = cloudFormation.answers()
    expect(answer?.body).toMatchObject({ Status: 'FAILED', PhysicalResourceId: 'smoke-test' })
    expect(answer?.body.Reason).toMatch(
      new RegExp(
        '^The smoke test of this release failed\\. ' +
          'public: GET /api/v1/health answered 503 UNAVAILABLE \\(log group publiclog\\w+\\)\\. ' +
          'me: GET /api/v1/me answered 503 UNAVAILABLE \\(log group melog\\w+\\)\\. ' +
          'Read the last lines of the log group; if it has none, the function was not reached: read accesslog\\w+\\.$',
      ),
    )
  })

  it('retries only the requests that failed', async () => {
    bad.lines.length = 0
    await bad.run(cloudFormation.event('Update', badProperties()))
    const checks = Object.groupBy(checksIn(bad.lines), ([name]) => name)
    expect(checks.public).toHaveLength(3)
    expect(checks.me).toHaveLength(3)
    expect(checks.auth).toHaveLength(1)
    cloudFormation.answers()
  })

  it('fails if the status of the stack cannot be read', async () => {
    cloudFormation.setStatus(undefined)
    await bad.run(cloudFormation.event('Update', badProperties()))
    expect(cloudFormation.answers()).toMatchObject([{ body: { Status: 'FAILED' } }])
  })
})

describe.each(['ROLLBACK_IN_PROGRESS', 'UPDATE_ROLLBACK_IN_PROGRESS'])('in the status %s', status => {
  it('the smoke test succeeds without a request', async () => {
    bad.lines.length = 0
    cloudFormation.setStatus(status)
    await bad.run(cloudFormation.event('Update', bad.properties))
    expect(cloudFormation.answers()).toMatchObject([{ body: { Status: 'SUCCESS' } }])
    expect(checksIn(bad.lines)).toEqual([])
  })
})

describe('the deletion of the smoke test', () => {
  it('succeeds without a request or a question for the status', async () => {
    bad.lines.length = 0
    cloudFormation.described.length = 0
    await bad.run({
      ...cloudFormation.event('Delete', { unreadable: 'properties' }),
      PhysicalResourceId: 'an id that CloudFormation made',
    })
    expect(cloudFormation.answers()).toMatchObject([
      { body: { Status: 'SUCCESS', PhysicalResourceId: 'an id that CloudFormation made' } },
    ])
    expect([checksIn(bad.lines), cloudFormation.described]).toEqual([[], []])
  })
})
