// Direct calls follow the clock of AWS, and carry the trace of their invocation, as calls of the SDK do.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connect } from '../../shared/table/connect.ts'
import { credentials, get, isOfSdk, openHandler, type Sent, twoCalls } from './answering-handler.ts'

afterEach(() => vi.unstubAllEnvs())

describe('the clock of signatures', () => {
  const signedMs = ({ headers }: Sent) =>
    Date.parse(
      String(headers['x-amz-date']).replace(
        /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
        '$1-$2-$3T$4:$5:$6Z',
      ),
    )

  it.each([-2, 0, 3])('follows the clock of AWS, which is %i hours ahead', async hours => {
    const aheadMs = hours * 3_600_000
    const handler = openHandler(() => ({ date: new Date(Date.now() + aheadMs).toUTCString() }))
    const client = connect({ region: 'eu-west-1', credentials, requestHandler: handler as never })
    for (let n = 0; n < 3; n++) await client.send(get())
    expect(handler.requests.map(isOfSdk)).toEqual([true, false, false])
    for (const request of handler.requests.slice(1)) {
      expect(Math.abs(signedMs(request) - Date.now() - aheadMs)).toBeLessThan(60_000)
    }
  })

  it('follows a jump of the clock during direct calls, but no answer that a cache has kept', async () => {
    let aheadMs = 0
    let age: string | undefined
    const handler = openHandler(() => ({
      date: new Date(Date.now() + aheadMs).toUTCString(),
      ...(age && { age }),
    }))
    const client = connect({ region: 'eu-west-1', credentials, requestHandler: handler as never })
    const offsets = []
    for (const [ms, kept] of [[0], [7_200_000], [0, '10'], [0]] as [number, string?][]) {
      aheadMs = ms
      age = kept
      await client.send(get())
      offsets.push(Math.round(client.config.systemClockOffset / 3_600_000))
    }
    expect(offsets.map(Math.abs)).toEqual([0, 2, 2, 0])
  })
})

describe('the trace of an invocation', () => {
  const trace = { traceparent: '00-aa-bb-01', tracestate: 'a=b', baggage: 'c=d' }
  const store = {
    getXRayTraceId: () => 'Root=1-of-the-store',
    getTraceparent: () => trace.traceparent,
    getTracestate: () => trace.tracestate,
    getBaggage: () => trace.baggage,
  }

  it('is sent as by the SDK, from the environment and from the runtime', async () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'a-function')
    vi.stubEnv('_X_AMZN_TRACE_ID', 'Root=1-of-the-environment')
    const tracesOf = async () =>
      (await twoCalls({})).map(({ headers }) => {
        const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
        const { 'x-amzn-trace-id': id, traceparent, tracestate, baggage } = Object.fromEntries(lower)
        return { id, traceparent, tracestate, baggage }
      })
    const [bySdk, direct] = await tracesOf()
    expect(bySdk?.id).toBe('Root=1-of-the-environment')
    expect(direct).toEqual(bySdk)
    // Lambda's runtime and the SDK share it.
    const { InvokeStore } = Object(globalThis).awslambda
    Object.assign(InvokeStore, store)
    const [bySdkThen, directThen] = await tracesOf()
    for (const name of Object.keys(store)) delete InvokeStore[name]
    expect(bySdkThen).toEqual({ id: 'Root=1-of-the-store', ...trace })
    expect(directThen).toEqual(bySdkThen)
  })

  it('changes with each invocation', async () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'a-function')
    const handler = openHandler()
    const client = connect({ region: 'eu-west-1', credentials, requestHandler: handler as never })
    for (const id of ['1', '2', '3']) {
      vi.stubEnv('_X_AMZN_TRACE_ID', id)
      await client.send(get())
    }
    const ids = handler.requests.map(
      ({ headers }) => headers['x-amzn-trace-id'] ?? headers['X-Amzn-Trace-Id'],
    )
    expect(ids).toEqual(['1', '2', '3'])
  })
})
