// Sends a request of one step of the writing part, with the admin's token. A step has several attempts.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { log } from '../runtime/log.ts'
import { type HttpAnswer, send } from './http.ts'
import { envelopeOf, IN_MAINTENANCE, problemOf } from './problem.ts'
import type { SmokeTestProperties, Writing, WritingEndpoint } from './properties.ts'
import type { Failure } from './reason.ts'
import { causeOf } from './run.ts'

export type WritingTest = SmokeTestProperties & { Writing: Writing }

export class StepFailed extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.problem)
    this.failure = failure
  }
}

/** The budget ended before the first answer of a step. */
export class OutOfTime extends StepFailed {}

/** The site is in maintenance, or the requests are too many. The release is not to blame for either. */
export class StepRefused extends Error {}

export type StepRequest = {
  /** What the step does, for the reason of a failure. */
  step: string
  endpoint: WritingEndpoint
  /** Replaces `{id}` in the path. */
  id?: number
  query?: Record<string, string>
  body?: object
  /** Other statuses fail the step. */
  expects?: number[]
}

export type Step = {
  send(request: StepRequest): Promise<void>
  /** Returns the data of the answer. */
  read<Data>(request: StepRequest, schema: z.ZodMiniType<Data>): Promise<Data>
}

const SUCCESSES = [200, 201]
/** An earlier attempt with the same Idempotency-Key is still running. */
const STILL_RUNNING = 409
const TOO_MANY = 429

/** @param budget ends all steps. */
export function openStep(test: WritingTest, token: string, budget: AbortSignal): Step {
  const sendStep = async (request: StepRequest): Promise<HttpAnswer> => {
    const { step, expects = SUCCESSES } = request
    const { Function: name, Method: method, Path: path } = test.Writing.Endpoints[request.endpoint]
    const key = randomUUID()
    let problem: string | undefined
    let status = 0
    for (const seconds of [0, ...test.PausesSeconds]) {
      await pause(seconds * 1000, undefined, { signal: budget }).catch(() => {})
      if (budget.aborted) break
      const attempt = await sendOnce(test, request, { token, key, budget })
      if (budget.aborted && 'problem' in attempt) break
      status = 'answer' in attempt ? attempt.answer.status : 0
      problem = 'answer' in attempt ? problemIn(attempt.answer, expects) : attempt.problem
      const level = problem === undefined ? 'info' : 'warn'
      log(level, 'smoke test', {
        step,
        function: name,
        method,
        path,
        status,
        problem: problem && hide(problem, token),
      })
      if ('answer' in attempt && problem === undefined) return attempt.answer
      if (status > 0 && status < 500 && status !== STILL_RUNNING && status !== TOO_MANY) break
    }
    if (status === TOO_MANY) throw new StepRefused(step)
    if (problem === undefined) throw new OutOfTime(failureOf(request, 'had no time left'))
    throw new StepFailed(failureOf(request, problem))
  }

  const failureOf = ({ step, endpoint }: StepRequest, problem: string): Failure => {
    const part = test.Writing.Endpoints[endpoint]
    return { parts: [part], problem: `${step}: ${part.Method} ${part.Path} ${problem}` }
  }

  return {
    send: async request => {
      await sendStep(request)
    },
    read: async (request, schema) => {
      const answer = await sendStep(request)
      const read = schema.safeParse(envelopeOf(answer)?.data)
      if (read.success) return read.data
      const fault = z.prettifyError(read.error).replaceAll('\n', ' ')
      throw new StepFailed(failureOf(request, `answered ${answer.status} with wrong data: ${fault}`))
    },
  }
}

type Attempt = { answer: HttpAnswer } | { problem: string }

/** Throws StepRefused in maintenance. */
async function sendOnce(
  { BaseUrl, ConnectTo: connectTo, LimitSeconds, Writing }: WritingTest,
  { endpoint, id = 0, query = {}, body, step }: StepRequest,
  { token, key, budget }: { token: string; key: string; budget: AbortSignal },
): Promise<Attempt> {
  const { Method: method, Path } = Writing.Endpoints[endpoint]
  const url = new URL(BaseUrl + Path.replace('{id}', String(id)))
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const headers = {
    Authorization: `Bearer ${token}`,
    'Idempotency-Key': key,
    ...(body && { 'Content-Type': 'application/json' }),
  }
  const text = body && JSON.stringify(body)
  const limits = { limitMs: LimitSeconds * 1000, signal: budget }
  try {
    const answer = await send({ method, url, connectTo, headers, body: text, ...limits })
    if (envelopeOf(answer)?.code === IN_MAINTENANCE) throw new StepRefused(step)
    return { answer }
  } catch (error) {
    if (error instanceof StepRefused) throw error
    return { problem: `failed: ${causeOf(error)}` }
  }
}

/** Undefined for an answer that the step expects. */
function problemIn(answer: HttpAnswer, expects: number[]): string | undefined {
  const envelope = envelopeOf(answer)
  if (envelope && expects.includes(answer.status)) return undefined
  if (!envelope) return problemOf(answer)
  const { code, message, fields } = envelope
  if (code === undefined) return `answered ${answer.status}, and not ${expects.join(' or ')}`
  return `answered ${answer.status} ${code}: ${message}${fields === undefined ? '' : ` ${JSON.stringify(fields)}`}`
}

/** No answer of a release has the token. If one does, a log and an event still must not. */
export function hide(text: string, token: string): string {
  return text.replaceAll(token, '[token]')
}
