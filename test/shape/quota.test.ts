// Tests that `npm run deploy` checks the account's Lambda quota before it deploys.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { accountOf } from '../../infra/deploy-account.ts'
import { missingAccess } from '../../infra/missing-access.ts'
import { adviceFor, workersAtOnce } from '../../infra/quota.ts'
import { QUEUE_WORKERS } from '../../shared/service/workers.ts'

describe('the workers of a stage', () => {
  it('have at most 20 concurrent runs for each queue, and 30 in all', () => {
    for (const { maxConcurrency } of Object.values(QUEUE_WORKERS)) {
      expect(maxConcurrency).toBeGreaterThanOrEqual(2)
      expect(maxConcurrency).toBeLessThanOrEqual(20)
    }
    expect(workersAtOnce(20)).toBe(30)
    expect(workersAtOnce(5)).toBe(15)
    expect(workersAtOnce(2)).toBe(9)
  })
})

describe('adviceFor', () => {
  it.each([
    [1000, 5, true, 'leaves 985 for requests.'],
    [35, 5, true, 'leaves 20 for requests.'],
    [34, 5, false, 'Deploy with -c maxConcurrency=4, and keep it in infra/stages.ts.'],
    [29, 5, false, 'Deploy with -c maxConcurrency=2, and keep it in infra/stages.ts.'],
    [10, 5, false, 'Deploy with -c maxConcurrency=2, and keep it in infra/stages.ts.'],
    [10, 2, true, 'leaves 1 for requests: under load, readers get 503. Ask for a higher quota'],
  ])(
    'for a quota of %i and maxConcurrency=%i allows the deploy: %s, and says: %s',
    (quota, maxConcurrency, mayDeploy, text) => {
      const advice = adviceFor(quota, maxConcurrency)
      expect(advice.mayDeploy).toBe(mayDeploy)
      expect(advice.text).toContain(text)
    },
  )
})

/** The Lambda API of an account with a quota of 10, and the key and the region of each request to it. */
const requests: string[] = []
const account = createServer(({ headers }, response) => {
  requests.push(
    /Credential=([^/]+)\/\d+\/([^/]+)/
      .exec(headers.authorization ?? '')
      ?.slice(1)
      .join(' ') ?? '',
  )
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify({ AccountLimit: { ConcurrentExecutions: 10 } }))
})
beforeAll(async () => {
  account.listen(0, '127.0.0.1')
  await once(account, 'listening')
})
afterAll(() => account.close())

/** `--help` makes `cdk deploy` print its help instead of deploying, so that it needs no account. */
function deploy(args: string[], more: Record<string, string>) {
  return deployWith([...args, '--help'], more)
}

async function deployWith(args: string[], more: Record<string, string>) {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true', ...more }
  const call = promisify(execFile)(process.execPath, ['infra/deploy.ts', 'live', ...args], { env })
  return await call.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
}

const credentials = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' }
function withAccount() {
  return {
    ...credentials,
    AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${(account.address() as AddressInfo).port}`,
  }
}

describe('accountOf', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  const ofKeys = { credentials: { accessKeyId: 'id', secretAccessKey: 'secret' } }
  it.each<[string[], Record<string, string>, object]>([
    [['--profile', 'ada'], {}, { profile: 'ada' }],
    [['--profile=ada'], { AWS_PROFILE: 'bob' }, { profile: 'ada' }],
    [['--profile', 'ada', '--region', 'us-west-2'], {}, { profile: 'ada', region: 'us-west-2' }],
    [['--profile', 'ada'], { AWS_REGION: 'ap-south-1' }, { profile: 'ada', region: 'ap-south-1' }],
    [['--profile', 'ada', '--region=us-west-2'], keys, { profile: 'ada', region: 'us-west-2' }],
    [[], { AWS_PROFILE: 'bob' }, { profile: 'bob' }],
    [[], { AWS_DEFAULT_PROFILE: 'bob', AWS_DEFAULT_REGION: 'x' }, { profile: 'bob', region: 'x' }],
    [[], { ...keys, AWS_PROFILE: 'bob' }, ofKeys],
    [['--region', 'us-west-2'], keys, { ...ofKeys, region: 'us-west-2' }],
    [[], { ...keys, AWS_SESSION_TOKEN: 't' }, { credentials: { ...ofKeys.credentials, sessionToken: 't' } }],
    [[], {}, {}],
  ])('finds for %j and %j the account %j', (args, env, account) => {
    expect(accountOf(args, env)).toEqual(account)
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

describe('npm run deploy', () => {
  it('stops and names a smaller maxConcurrency if the workers would use up the quota', async () => {
    const { code, stdout, stderr } = await deploy([], withAccount())
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('Deploy with -c maxConcurrency=2, and keep it in infra/stages.ts.')
  })

  it('deploys with the smaller maxConcurrency', async () => {
    for (const args of [['-c', 'maxConcurrency=2'], ['--context=maxConcurrency=2']]) {
      const { code, stdout, stderr } = await deploy(args, withAccount())
      expect(code).toBe(0)
      expect(stderr).toContain('The account may run 10 functions at the same time')
      expect(stdout).toContain('cdk deploy')
    }
  })

  it.each<[string, string[], Record<string, string>]>([
    ['ofAda eu-west-1', ['--profile', 'ada'], { AWS_PROFILE: 'bob' }],
    ['ofBob eu-north-1', [], { AWS_PROFILE: 'bob' }],
    ['test us-east-1', [], { ...credentials, AWS_PROFILE: 'bob' }],
  ])('reads the quota by the key and the region that cdk uses: %s for %j with %j', async (by, args, more) => {
    const folder = await mkdtemp(join(tmpdir(), 'deploy-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const files = {
      AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
      AWS_CONFIG_FILE: join(folder, 'config'),
    }
    const keysOf = (name: string, key: string) =>
      `[${name}]\naws_access_key_id = ${key}\naws_secret_access_key = secret\n`
    await writeFile(files.AWS_SHARED_CREDENTIALS_FILE, keysOf('ada', 'ofAda') + keysOf('bob', 'ofBob'))
    await writeFile(
      files.AWS_CONFIG_FILE,
      '[profile ada]\nregion = eu-west-1\n[profile bob]\nregion = eu-north-1\n',
    )
    requests.splice(0)
    const { AWS_ENDPOINT_URL_LAMBDA } = withAccount()
    // With a quota of ten it stops before it starts `cdk`.
    await deploy(args, { AWS_ENDPOINT_URL_LAMBDA, ...files, ...more })
    expect(requests).toEqual([by])
  })

  it.each([
    [{}, 'No AWS region is set. Set AWS_REGION to'],
    [{ AWS_REGION: 'us-east-1' }, 'No AWS credentials are set. Set AWS_ACCESS_KEY_ID and'],
  ])('prints at once which variables to set with %j', async (more, advice) => {
    const { code, stdout, stderr } = await deployWith([], more)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(new RegExp(`^${advice} .* Nothing was deployed\\.\n$`))
  })

  it('without credentials says that the quota is not checked, and runs cdk', async () => {
    const { code, stdout, stderr } = await deploy([], { AWS_REGION: 'us-east-1' })
    expect(code).toBe(0)
    expect(stderr).toContain('could not be read, so it is not checked')
    expect(stdout).toContain('cdk deploy')
  })
})
