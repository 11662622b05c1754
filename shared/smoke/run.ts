// Runs the smoke test: all requests side by side, and those that fail again after each pause.
import { setTimeout as pause } from 'node:timers/promises'
import { log } from '../runtime/log.ts'
import { send } from './http.ts'
import { problemOf } from './problem.ts'
import type { SmokeRequest, SmokeTestProperties } from './properties.ts'
import type { Failure } from './reason.ts'

type FailedRequest = { request: SmokeRequest; problem: string }

/** Retries because a new deployment of the gateway, a role or a domain works only after some seconds. */
export async function runSmokeTest(test: SmokeTestProperties): Promise<Failure[]> {
  let failures = await sendAll(test.Requests, test)
  for (const seconds of test.PausesSeconds) {
    if (failures.length === 0) break
    await pause(seconds * 1000)
    failures = await sendAll(
      failures.map(({ request }) => request),
      test,
    )
  }
  return failures.map(({ request, problem }) => ({
    parts: [request],
    problem: `${request.Method} ${request.Path} ${problem}`,
  }))
}

async function sendAll(requests: SmokeRequest[], test: SmokeTestProperties): Promise<FailedRequest[]> {
  const problems = await Promise.all(requests.map(request => sendOne(request, test)))
  return requests.flatMap((request, n) => {
    const problem = problems[n]
    return problem === undefined ? [] : [{ request, problem }]
  })
}

async function sendOne(
  { Function: name, Method: method, Path: path }: SmokeRequest,
  { BaseUrl, ConnectTo: connectTo, LimitSeconds }: SmokeTestProperties,
): Promise<string | undefined> {
  const url = new URL(BaseUrl + path)
  try {
    const answer = await send({ method, url, connectTo, limitMs: LimitSeconds * 1000 })
    const problem = problemOf(answer)
    // A firewall or a flood can cause 429. Then the function is not tested, and the deployment goes on.
    const level = problem !== undefined || answer.status === 429 ? 'warn' : 'info'
    log(level, 'smoke test', { function: name, method, path, status: answer.status, problem })
    return problem
  } catch (error) {
    const problem = `failed: ${causeOf(error)}`
    log('warn', 'smoke test', { function: name, method, path, problem })
    return problem
  }
}

/** An error of several addresses has a code but no message. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || ('code' in error ? String(error.code) : error.name)
}
