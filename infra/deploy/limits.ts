// What of a stage fits into its account and region: runs of functions, requests a second, services.
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { HttpRequest } from '@smithy/core/protocols'
import * as z from 'zod/mini'
import { openSigner } from '../../shared/aws/client.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
import type { StageSettings } from '../stage-settings.ts'
import type { Account } from './deployed-stack.ts'

/** The runs that must be left for requests while all workers are busy; with fewer, readers get 503. */
const RUNS_FOR_REQUESTS = 20
/** SQS accepts no lower limit for an event source. */
const MIN_CONCURRENCY = 2
/** Lambda takes this many requests a second for each run that the account may have at once. */
const REQUESTS_A_RUN = 10

/** `quota`: functions that the account may run at once. `rate`: requests a second that its gateways take. */
export type AccountLimits = { quota: number | undefined; rate: number | undefined }

/** The most concurrent functions of queues and schedules, with at most `maxConcurrency` for each queue. */
export function workersAtOnce(maxConcurrency: number): number {
  return Object.values(QUEUE_WORKERS).reduce(
    (all, worker) => all + Math.min(worker.maxConcurrency, maxConcurrency),
    Object.keys(SCHEDULED_WORKERS).length,
  )
}

export type Advice = { text: string; mayDeploy: boolean }
type WantedCapacity = Pick<StageSettings, 'maxConcurrency' | 'ratePerSecond'>

export function adviceFor({ quota, rate }: AccountLimits, wanted: WantedCapacity): Advice[] {
  const advice = quota === undefined ? [] : [adviceForRuns(quota, wanted.maxConcurrency)]
  const sum = Object.values(wanted.ratePerSecond).reduce((total, each) => total + each, 0)
  const admitted = Math.min(rate ?? Number.POSITIVE_INFINITY, REQUESTS_A_RUN * (quota ?? sum))
  if (sum <= admitted) return advice
  const text = `The tiers of this stage admit ${sum} requests a second, but the account takes ${admitted}: one tier can use up what another needs. Lower publicRate in infra/stages.ts, or ask for higher quotas.`
  return [...advice, { text, mayDeploy: true }]
}

function adviceForRuns(quota: number, maxConcurrency: number): Advice {
  const workers = workersAtOnce(maxConcurrency)
  const forRequests = Math.max(0, quota - workers)
  const lead = `The account may run ${quota} functions at the same time; the workers of this stage take up to ${workers}`
  const rest = `${lead}, which leaves ${forRequests} for requests`
  if (forRequests >= RUNS_FOR_REQUESTS) return { text: `${rest}.`, mayDeploy: true }
  const warning = `${rest}: under load, readers get 503.`
  const request = 'Ask for a higher quota: Service Quotas, AWS Lambda, "Concurrent executions" (L-B99A9384).'
  const smaller = largestThatFits(quota, maxConcurrency)
  if (smaller === maxConcurrency) return { text: `${warning} ${request}`, mayDeploy: true }
  return {
    text: `${warning} Deploy with -c maxConcurrency=${smaller}, and keep it in infra/stages.ts. ${request}`,
    mayDeploy: false,
  }
}

function largestThatFits(quota: number, maxConcurrency: number): number {
  let most = maxConcurrency
  while (most > MIN_CONCURRENCY && quota - workersAtOnce(most) < RUNS_FOR_REQUESTS) most--
  return most
}

/** CloudFormation lacks a type there. `npm run test:stack` compares these with cfn-lint. */
const WITHOUT = [
  {
    value: 'mailSender',
    lacks: 'SES',
    regions: `ap-east-1 ap-east-2 ap-southeast-4 ap-southeast-6 ap-southeast-7 cn-north-1 cn-northwest-1
      eu-south-2 mx-central-1`,
  },
  {
    value: 'monthlyBudgetUsd',
    lacks: 'budgets',
    regions: `af-south-1 ap-east-1 ap-east-2 ap-northeast-3 ap-south-2 ap-southeast-3 ap-southeast-4
      ap-southeast-5 ap-southeast-6 ap-southeast-7 ca-west-1 eu-central-2 eu-north-1 eu-south-1 eu-south-2
      il-central-1 me-central-1 mx-central-1 us-gov-east-1 us-gov-west-1`,
  },
] as const

/** The values of the stage that the region refuses, each with a sentence. */
export function refusedIn(region: string, settings: Pick<StageSettings, 'mailSender' | 'monthlyBudgetUsd'>) {
  return WITHOUT.filter(
    ({ value, regions }) => settings[value] !== undefined && regions.split(/\s+/).includes(region),
  ).map(({ value, lacks }) => ({
    value,
    text: `CloudFormation has no ${lacks} in ${region}: remove ${value} from the stage in infra/stages.ts.`,
  }))
}

const GatewayAccount = z.object({ throttleSettings: z.object({ rateLimit: z.number() }) })

/** Throws if the first call fails; the rate alone is undefined if it cannot be read. */
export async function readLimits(account: Account): Promise<AccountLimits & { region: string }> {
  const client = new LambdaClient({ ...account, maxAttempts: 2 })
  const { AccountLimit } = await client.send(new GetAccountSettingsCommand())
  const region = await client.config.region()
  const rate = await readRate(region, client.config.credentials).catch(() => undefined)
  return { quota: AccountLimit?.ConcurrentExecutions, rate, region }
}

/** One call is not worth an SDK client of API Gateway. */
async function readRate(region: string, credentials: LambdaClient['config']['credentials']): Promise<number> {
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  const base = process.env.AWS_ENDPOINT_URL ?? `https://apigateway.${region}.${suffix}`
  const { protocol, hostname, port, host } = new URL(base)
  const signed = await openSigner('apigateway', { region, credentials }).sign(
    new HttpRequest({
      protocol,
      hostname,
      ...(port && { port: Number(port) }),
      path: '/account',
      headers: { host },
    }),
  )
  const answer = await fetch(`${base}/account`, {
    headers: signed.headers,
    signal: AbortSignal.timeout(5_000),
  })
  return GatewayAccount.parse(await answer.json()).throttleSettings.rateLimit
}
