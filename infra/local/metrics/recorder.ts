// Records what CloudWatch would: requests, runs of functions, their log lines, and failed calls of the table.
import type { Call, Interceptor } from '../faults/call.ts'
import { FunctionError } from '../lambda/function-errors.ts'
import type { MailOutcome } from '../mail/ses.ts'
import { openSamples, type Samples, type SeriesName, seriesOf } from './samples.ts'

export type Recorder = {
  samples: Samples
  /** The gateway answered a request. */
  request(statusCode: number, durationMs: number): void
  /** Runs a function of this name, unless as many run as the account may. Then it throws a FunctionError. */
  run<T>(functionName: string, run: () => Promise<T>): Promise<T>
  /** SES sent a mail. Its rates are here those of the mails of an hour. */
  mail(outcome: MailOutcome): void
  /** Reads the metrics of a log line. Returns the line without them, undefined if it has nothing else. */
  line(line: string): string | undefined
  /** Sees the calls of functions that faults answer. Without faults the table neither throttles nor fails. */
  calls: Interceptor
}

const API = { ApiName: { api: 'name' }, Stage: { api: 'stage' } } as const
export const SERVER_ERRORS = seriesOf({ namespace: 'AWS/ApiGateway', name: '5XXError', dimensions: API })
export const REQUESTS = seriesOf({ namespace: 'AWS/ApiGateway', name: 'Count', dimensions: API })
export const LATENCY = seriesOf({ namespace: 'AWS/ApiGateway', name: 'Latency', dimensions: API })
/** Not a metric of API Gateway, which counts it among 4XXError. */
export const REFUSED = 'answers with 429'
const CONCURRENCY = ofAccount('AWS/Lambda', 'ConcurrentExecutions')
const THROTTLES = ofAccount('AWS/Lambda', 'Throttles')
const BOUNCES = ofAccount('AWS/SES', 'Reputation.BounceRate')
const COMPLAINTS = ofAccount('AWS/SES', 'Reputation.ComplaintRate')

function ofAccount(namespace: string, name: string): SeriesName {
  return seriesOf({ namespace, name, dimensions: {} })
}

function ofFunction(name: 'Invocations' | 'Errors', functionName: string): SeriesName {
  return seriesOf({
    namespace: 'AWS/Lambda',
    name,
    dimensions: { FunctionName: { function: functionName } },
  })
}

const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'TransactGetItems'])
const THROTTLED = /ThrottlingException|ThrottlingError|ProvisionedThroughputExceeded/

function ofTable(name: string, operation?: string): SeriesName {
  const dimensions = {
    TableName: { table: 'name' as const },
    ...(operation !== undefined && { Operation: { text: operation } }),
  }
  return seriesOf({ namespace: 'AWS/DynamoDB', name, dimensions })
}

/** @param quota how many functions the account may run at once. */
export function openRecorder(clock: () => number, quota: () => number): Recorder {
  const samples = openSamples(clock)
  let running = 0

  function failedCall({ operation }: Call, status: number, body: string): void {
    if (status >= 500) {
      samples.add(ofTable('SystemErrors', operation), 1)
    } else if (THROTTLED.test(body)) {
      samples.add(ofTable(READS.has(operation) ? 'ReadThrottleEvents' : 'WriteThrottleEvents'), 1)
    }
  }

  return {
    samples,
    request(statusCode, durationMs) {
      samples.add(REQUESTS, 1)
      samples.add(SERVER_ERRORS, statusCode >= 500 ? 1 : 0)
      samples.add(LATENCY, durationMs)
      if (statusCode === 429) samples.add(REFUSED, 1)
    },
    async run(functionName, run) {
      if (running >= quota()) {
        samples.add(THROTTLES, 1)
        throw new FunctionError('TooManyRequestsException', `Rate exceeded: ${functionName} was not run.`)
      }
      samples.add(ofFunction('Invocations', functionName), 1)
      samples.add(CONCURRENCY, ++running)
      try {
        return await run()
      } catch (error) {
        samples.add(ofFunction('Errors', functionName), 1)
        throw error
      } finally {
        running--
      }
    },
    mail(outcome) {
      samples.add(BOUNCES, outcome === 'bounced' ? 1 : 0)
      samples.add(COMPLAINTS, outcome === 'complained' ? 1 : 0)
    },
    line(line) {
      const at = line.indexOf(EMBEDDED)
      if (at < 0) return line
      for (const [name, value] of metricsIn(line)) samples.add(name, value)
      const rest = line.slice(0, at)
      return rest.endsWith('"message":"run"') ? undefined : `${rest}}`
    },
    calls: async (call, next) => {
      const answer = await next(call)
      if (call.service === 'dynamodb' && call.session !== '' && answer.status !== 200) {
        failedCall(call, answer.status, answer.body.toString())
      }
      return answer
    },
  }
}

/** Functions write the metrics last in their lines. */
const EMBEDDED = ',"_aws":{'

function metricsIn(line: string): [SeriesName, number][] {
  try {
    const { _aws, ...members }: { _aws?: unknown; [name: string]: unknown } = JSON.parse(line)
    const [directive] = Object(Object(_aws).CloudWatchMetrics)
    const names: { Name: string }[] = Object(directive).Metrics ?? []
    return names.map(({ Name }) => [Name, Number(members[Name])])
  } catch {
    // The text is in another program's line.
    return []
  }
}
