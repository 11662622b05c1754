// `npm run deploy` reads what the account may run at once before it deploys anything.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adviceFor, workersAtOnce } from '../../infra/quota.ts'
import { QUEUE_WORKERS } from '../../shared/service/workers.ts'

describe('the workers of a stage', () => {
  it('run at most 5 at once a queue, and 17 in all with the sweep', () => {
    for (const { maxConcurrency } of Object.values(QUEUE_WORKERS)) {
      expect(maxConcurrency).toBeGreaterThanOrEqual(2)
      expect(maxConcurrency).toBeLessThanOrEqual(5)
    }
    expect(workersAtOnce(5)).toBe(17)
    expect(workersAtOnce(2)).toBe(11)
  })
})

describe('the advice for an account', () => {
  it.each([
    [1000, 5, true, 'leaves 983 for requests.'],
    [37, 5, true, 'leaves 20 for requests.'],
    [36, 5, false, 'Deploy with -c maxConcurrency=4.'],
    [31, 5, false, 'Deploy with -c maxConcurrency=2.'],
    [10, 5, false, 'Deploy with -c maxConcurrency=2.'],
    [10, 2, true, 'leaves 0 for requests: under load, readers get 503. Ask for a higher quota'],
  ])('of %i with maxConcurrency=%i: fits %s, since it %s', (quota, maxConcurrency, isFitting, says) => {
    const advice = adviceFor(quota, maxConcurrency)
    expect(advice.isFitting).toBe(isFitting)
    expect(advice.says).toContain(says)
  })
})

/** Lambda's API of an account that may run 10 functions at once. */
const account = createServer((_request, response) => {
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify({ AccountLimit: { ConcurrentExecutions: 10 } }))
})
beforeAll(async () => {
  account.listen(0, '127.0.0.1')
  await once(account, 'listening')
})
afterAll(() => account.close())

/** `--help` takes the place of a deploy: it says what `cdk deploy` was asked, and needs no account. */
const deploy = async (args: string[], more: Record<string, string>) => {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true', ...more }
  const call = promisify(execFile)(process.execPath, ['infra/deploy.ts', ...args, '--help'], { env })
  return await call.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
}
const credentials = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' }
const withAccount = () => ({
  ...credentials,
  AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${(account.address() as AddressInfo).port}`,
})

describe('npm run deploy', () => {
  it('stops with what fits, where the workers would take the whole account', async () => {
    const { code, stdout, stderr } = await deploy([], withAccount())
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('Deploy with -c maxConcurrency=2.')
  })

  it('deploys with what fits', async () => {
    for (const args of [['-c', 'maxConcurrency=2'], ['--context=maxConcurrency=2']]) {
      const { code, stdout, stderr } = await deploy(args, withAccount())
      expect(code).toBe(0)
      expect(stderr).toContain('The account may run 10 functions at once')
      expect(stdout).toContain('cdk deploy')
    }
  })

  it('says that it did not check where it has no credentials, and leaves the rest to cdk', async () => {
    const { code, stdout, stderr } = await deploy([], { AWS_REGION: 'us-east-1' })
    expect(code).toBe(0)
    expect(stderr).toContain('could not be read, so it is not checked')
    expect(stdout).toContain('cdk deploy')
  })
})
