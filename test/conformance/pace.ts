// Keeps to the rate limits: counts the requests of the last minute, and waits after an answer that says so.
import { setTimeout as pause } from 'node:timers/promises'

const MINUTE_MS = 60_000
/** A client's minute and the service's begin at different moments. */
const MARGIN_MS = 1_000
/** A service that is not available for longer is not waited for. */
const LONGEST_PAUSE_SECONDS = 10

/** The limits of the contract by paths below `/api/v1`. The first that fits applies, else the public one. */
const LIMITS: { path: string; most: number }[] = [
  { path: '/auth/login', most: 5 },
  { path: '/auth/register', most: 3 },
  { path: '/auth/forgot-password', most: 3 },
  { path: '/contact', most: 5 },
  { path: '/newsletter/subscribe', most: 5 },
  { path: '/me', most: 120 },
  { path: '/admin', most: 30 },
]
const PUBLIC = { path: '/', most: 60 }

/** `/menus/main` is not below `/me`. */
function isBelow(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`) || path.startsWith(`${parent}?`)
}

export function limitOf(path: string) {
  return LIMITS.find(limit => isBelow(path, limit.path)) ?? PUBLIC
}

type Options = { isRaised: boolean; log: (line: string) => void }

export function openPace({ isRaised, log }: Options) {
  const sentMs = new Map<string, number[]>()
  const closed = new Map<string, { untilMs: number; why: string }>()

  /** The requests to this limit in the last minute. */
  function recent(path: string): number[] {
    const name = limitOf(path).path
    const kept = (sentMs.get(name) ?? []).filter(ms => Date.now() - ms < MINUTE_MS + MARGIN_MS)
    sentMs.set(name, kept)
    return kept
  }

  async function wait(ms: number, why: string, signal: AbortSignal): Promise<void> {
    if (ms > 2_000) log(`Waiting ${Math.ceil(ms / 1000)} s: ${why}`)
    await pause(ms, undefined, { signal })
  }

  return {
    /** Waits until a request may be sent, and counts it. */
    async before(path: string, signal: AbortSignal): Promise<void> {
      const { path: name, most } = limitOf(path)
      const { untilMs, why } = closed.get(name) ?? { untilMs: 0, why: '' }
      if (untilMs > Date.now()) await wait(untilMs - Date.now(), why, signal)
      const kept = recent(path)
      const oldest = kept[kept.length - most]
      if (!isRaised && oldest !== undefined) {
        const ms = Math.max(0, oldest + MINUTE_MS + MARGIN_MS - Date.now())
        await wait(ms, `${most} requests a minute to ${name} are allowed`, signal)
      }
      recent(path).push(Date.now())
    },
    /** Waits until the last minute had no request to this limit. */
    async rest(path: string, signal: AbortSignal): Promise<void> {
      const last = recent(path).at(-1)
      if (last !== undefined) {
        const ms = last + MINUTE_MS + MARGIN_MS - Date.now()
        await wait(ms, `the limit of ${path} is shown from its start`, signal)
      }
    },
    /** Remembers when the service will take the next request. Returns whether this one was refused. */
    after(path: string, { status, headers }: { status: number; headers: Headers }): boolean {
      const { path: name } = limitOf(path)
      const usedUp = `the service says that ${name} is used up`
      const retryAfter = Number(headers.get('Retry-After') ?? Number.NaN)
      const reset = Number(headers.get('X-RateLimit-Reset') ?? Number.NaN)
      const isBusy = status === 503 && retryAfter <= LONGEST_PAUSE_SECONDS
      if (status === 429) {
        const seconds = Number.isFinite(retryAfter) ? retryAfter : 60
        closed.set(name, { untilMs: Date.now() + Math.min(120, seconds) * 1000, why: usedUp })
      } else if (isBusy) {
        const untilMs = Date.now() + retryAfter * 1000
        closed.set(name, { untilMs, why: 'the service says that it is busy' })
      } else if (headers.get('X-RateLimit-Remaining') === '0' && Number.isFinite(reset)) {
        const untilMs = Math.min(reset * 1000, Date.now() + 2 * MINUTE_MS)
        closed.set(name, { untilMs, why: usedUp })
      }
      return status === 429 || isBusy
    },
  }
}

export type Pace = ReturnType<typeof openPace>
