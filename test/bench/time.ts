// Times requests through the local gateway, from one client and from several concurrent ones.
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { type CallOptions, pathOf } from '../world/call.ts'
import { afterThis, deepest, onPage } from './count.ts'
import { runLifecycles, type Step } from './lifecycles.ts'
import type { Row } from './rows.ts'
import { sum } from './thread-cpu.ts'

/** `cpuMs`: CPU time of the functions a request, where one client alone was timed. */
export type Times = { medianMs: number; p99Ms: number; cpuMs?: number }
export type TakeCpu = () => Record<string, number>
/** With `takeCpu`, nothing else may run at the same time. */
type Load = { clients: number; requests: number; takeCpu?: TakeCpu | undefined }

/** The first requests of a client are not counted: they open connections and compile code. */
const WARM_UP = 5
/** The function of all measured writes. */
const WRITER = 'admin-posts'

export async function timeRow(
  baseUrl: string,
  row: Row,
  { clients, requests, takeCpu }: Load,
): Promise<Times> {
  const ask = await askedBy(baseUrl, row)
  const tookMs: number[] = []
  const client = async () => {
    for (let n = -WARM_UP; n < requests / clients; n++) {
      if (n === 0) takeCpu?.()
      const { ms } = await send(baseUrl, row.endpoint, ask)
      if (n >= 0) tookMs.push(ms)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return { ...timesOf(tookMs), ...(takeCpu && { cpuMs: sum(takeCpu()) / tookMs.length }) }
}

async function askedBy(baseUrl: string, row: Row): Promise<CallOptions> {
  const { endpoint, ask, isDeep, isWalked, isConditional } = row
  if (!isDeep && !isWalked && !isConditional) return ask
  const { text, etag } = await send(baseUrl, endpoint, ask)
  if (isWalked) return afterThis(ask, text)
  return isConditional ? { ...ask, headers: { 'If-None-Match': etag } } : onPage(ask, deepest(text))
}

/** Times by the name of the request, the same as in the counts. */
export async function timeWrites(baseUrl: string, token: string, { clients, requests, takeCpu }: Load) {
  const tookMs = new Map<string, number[]>()
  const cpuMs = new Map<string, number>()
  const step: Step = async (name, endpoint, ask) => {
    takeCpu?.()
    const { ms, text } = await send(baseUrl, endpoint, { ...ask, token })
    // Workers that follow an earlier request run at the same time.
    if (takeCpu) cpuMs.set(name, (cpuMs.get(name) ?? 0) + (takeCpu()[WRITER] ?? 0))
    tookMs.set(name, [...(tookMs.get(name) ?? []), ms])
    return text
  }
  const slug = `timed-${Date.now()}`
  const lives = (client: number) => runLifecycles(step, `${slug}-${client}`, Math.ceil(requests / clients))
  await Promise.all(Array.from({ length: clients }, (_, n) => lives(n)))
  return new Map(
    [...tookMs].map(([name, ms]): [string, Times] => [
      name,
      { ...timesOf(ms), ...(takeCpu && { cpuMs: (cpuMs.get(name) ?? 0) / ms.length }) },
    ]),
  )
}

async function send(baseUrl: string, endpoint: Endpoint, ask: CallOptions) {
  const { body, headers, token } = ask
  const startedMs = performance.now()
  const response = await fetch(`${baseUrl}${pathOf(endpoint, ask)}`, {
    method: endpoint.method,
    headers: { ...headers, ...(token && { Authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const ms = performance.now() - startedMs
  if (response.status >= 400) {
    throw new Error(`${endpoint.method} ${endpoint.path} answered ${response.status} ${text}`)
  }
  return { ms, text, etag: response.headers.get('ETag') ?? '' }
}

function timesOf(tookMs: number[]): Times {
  const sorted = tookMs.toSorted((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { medianMs: at(0.5), p99Ms: at(0.99) }
}
