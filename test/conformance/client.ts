// Sends requests to the service under test, and keeps to its rate limits.
import { type Answer, notRun } from './answer.ts'
import type { Pace } from './pace.ts'
import { jsonOf } from './values.ts'

export type Ask = {
  token?: string | undefined
  /** Sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
  /** The limit itself is shown: the request is sent at once, and a 429 is returned. */
  showsLimit?: boolean
}

/** Nothing answers at the address. */
export class Unreachable extends Error {}

const PREFIX = '/api/v1'
/** The slowest answer is that of a webhook test, which may take the subscriber's five seconds. */
const HANGS_AFTER_MS = 60_000
const MOST_REFUSALS = 3

type Options = { baseUrl: string; pace: Pace; signal: AbortSignal; onAnswer: (answer: Answer) => void }

export function openClient({ baseUrl, pace, signal, onAnswer }: Options) {
  /** `path` follows `/api/v1`. */
  async function send(method: string, path: string, ask: Ask = {}): Promise<Answer> {
    for (let refusals = 1; ; refusals++) {
      if (signal.aborted) throw new Error('Interrupted.')
      if (!ask.showsLimit) await pace.before(path, signal)
      const answer = await sendOnce(`${baseUrl}${PREFIX}${path}`, `${method} ${PREFIX}${path}`, ask)
      const isRefused = pace.after(path, answer) && !ask.showsLimit
      const isLast = refusals === MOST_REFUSALS
      if (isRefused && isLast && answer.status === 429) {
        notRun(`${answer.request} was refused ${refusals} times with 429.`)
      }
      // A service that stays busy falls short: the check sees its 503.
      if (!isRefused || isLast) {
        onAnswer(answer)
        return answer
      }
    }
  }
  return send
}

export type Send = ReturnType<typeof openClient>

async function sendOnce(url: string, request: string, ask: Ask): Promise<Answer> {
  const { token, body } = ask
  const [method = 'GET'] = request.split(' ')
  const headers: Record<string, string> = {
    Accept: 'application/json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...ask.headers,
  }
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(HANGS_AFTER_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { request, status: response.status, headers: response.headers, text, json: jsonOf(text) }
  } catch (error) {
    throw new Unreachable(`${request} got no answer from ${new URL(url).host}: ${reasonOf(error)}.`)
  }
}

/** `fetch` hides the reason in the cause of its error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (cause instanceof Error) return 'code' in cause ? `${cause.code} ${cause.message}`.trim() : cause.message
  return error.message
}
