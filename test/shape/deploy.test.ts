// Tests that `npm run deploy` stops before what would fail, and says what to do.
import { execFile } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { openServer } from '../support/server.ts'

type Stack = { status?: string; isProtected?: boolean }
type Aws = { stack?: Stack | undefined; quota?: number; rate?: number }

/** An AWS with this account and stack. It notes what is asked of it and by whose key, and deploys nothing. */
async function openAws({ stack, quota = 1000, rate = 10_000 }: Aws) {
  const calls: string[] = []
  const keys = new Set<string>()
  const { url, stop } = await openServer(async (request, response) => {
    const call = new URLSearchParams(await text(request))
    const action = call.get('Action') ?? new URL(request.url ?? '', 'http://aws').pathname
    calls.push(`${action} ${call.get('EnableTerminationProtection') ?? ''}`.trim())
    const [, key, region] = /Credential=([^/]+)\/\d+\/([^/]+)/.exec(request.headers.authorization ?? '') ?? []
    keys.add(`${key} ${region}`)
    if (action.includes('/account-settings')) {
      return response.end(JSON.stringify({ AccountLimit: { ConcurrentExecutions: quota } }))
    }
    if (action === '/account') return response.end(JSON.stringify({ throttleSettings: { rateLimit: rate } }))
    if (!stack) {
      const Message = `<Message>Stack with id ${call.get('StackName')} does not exist</Message>`
      response.writeHead(400)
      return response.end(
        `<ErrorResponse><Error><Code>ValidationError</Code>${Message}</Error></ErrorResponse>`,
      )
    }
    const { status = 'UPDATE_COMPLETE', isProtected = false } = stack
    const member = `<StackStatus>${status}</StackStatus><EnableTerminationProtection>${isProtected}</EnableTerminationProtection>`
    const stacks = `<Stacks><member><StackName>s</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime>${member}</member></Stacks>`
    return response.end(`<${action}Response><${action}Result>${stacks}</${action}Result></${action}Response>`)
  })
  onTestFinished(stop)
  return { url, calls, keys }
}

const KEYS = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' }
const EMAIL = ['-c', 'alarmEmail=ada@example.com']

async function deploy(aws: Aws, words: string[], environment: Record<string, string> = KEYS) {
  const { url, calls, keys } = await openAws(aws)
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ENDPOINT_URL: url,
    ...environment,
  }
  const argv = ['infra/deploy/deploy.ts', 'live', '--app', inject('assembly'), ...words]
  const { code, stderr } = await promisify(execFile)(process.execPath, argv, { env, timeout: 60_000 }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    (error: { code: number; stderr: string }) => error,
  )
  return { code, stderr, calls, keys: [...keys] }
}

describe('npm run deploy', () => {
  it('names a value that is invalid, without a stack trace', async () => {
    const { code, stderr } = await deploy({ stack: {} }, ['-c', 'disposable=perhaps'])
    expect(code).toBe(1)
    expect(stderr).toBe(
      'The context (-c name=value) is invalid:\n✖ must be true or false\n  → at disposable\n',
    )
  })

  it('asks before the first deployment who hears the alarms, unless the stage is disposable', async () => {
    const asked = [[], EMAIL, ['-c', 'alarmEmail=none'], ['-c', 'disposable=true']].map(async words =>
      (await deploy({}, words)).stderr.includes('Who hears the alarms of live? Add alarmEmail to it'),
    )
    expect(await Promise.all(asked)).toEqual([true, false, false, false])
    expect((await deploy({ stack: {} }, [])).stderr).not.toContain('Who hears')
  })

  it('begins again after a first deployment that failed, and takes its protection away', async () => {
    const stack = { status: 'ROLLBACK_COMPLETE', isProtected: true }
    const { stderr, calls } = await deploy({ stack }, EMAIL)
    expect(stderr).toContain('The first deployment of live failed. What is left of it is removed first.')
    expect(calls).toContain('UpdateTerminationProtection false')
    expect(stderr).toContain('Synthesis time')
  })

  it('stops before it deploys into an account that is too small, and says what fits', async () => {
    const { code, stderr } = await deploy({ quota: 10 }, EMAIL)
    expect(code).toBe(1)
    expect(stderr).toContain('Deploy with -c maxConcurrency=2')
    const small = await deploy({ quota: 1000, rate: 300 }, EMAIL)
    expect(small.stderr).toContain('admit 350 requests a second, but the account takes 300')
  })

  it('stops before it deploys a value that the region refuses', async () => {
    const words = [...EMAIL, '-c', 'monthlyBudgetUsd=50', '--region', 'eu-north-1']
    const { code, stderr } = await deploy({}, words)
    expect([code, stderr]).toEqual([
      1,
      'CloudFormation has no budgets in eu-north-1: remove monthlyBudgetUsd from the stage in infra/stages.ts.\n',
    ])
  })

  it('asks with the keys and the region that cdk uses', async () => {
    const { keys } = await deploy({ quota: 10 }, ['--region', 'eu-west-1'])
    expect(keys).toEqual(['test eu-west-1'])
  })

  it.each([
    [{}, 'No AWS region is set. Set AWS_REGION to'],
    [{ AWS_REGION: 'us-east-1' }, 'No AWS credentials are set. Set AWS_ACCESS_KEY_ID and'],
  ])('prints at once which variables to set with %j', async (environment, advice) => {
    const { code, stderr } = await deploy({}, [], environment)
    expect(code).toBe(1)
    expect(stderr).toMatch(new RegExp(`^${advice} .* Nothing was deployed\\.\n$`))
  })
})
