// The headers of an invocation's trace. Lambda stops functions that invoke each other without end by them.
import type { Headers } from './signature.ts'

/** Lambda's runtime keeps these per invocation, and the SDK reads them from here as well. */
type InvokeStore = {
  getXRayTraceId?: () => string | undefined
  getTraceparent?: () => string | undefined
  getTracestate?: () => string | undefined
  getBaggage?: () => string | undefined
}

export const TRACE_HEADERS = ['x-amzn-trace-id', 'traceparent', 'tracestate', 'baggage']

/** Adds the headers that the SDK would add. They are not signed, since a proxy may change them. */
export function addTrace(headers: Headers): void {
  const { awslambda }: { awslambda?: { InvokeStore?: InvokeStore } } = Object(globalThis)
  const store = awslambda?.InvokeStore
  if (process.env.AWS_LAMBDA_FUNCTION_NAME) {
    const id = store?.getXRayTraceId?.() ?? process.env._X_AMZN_TRACE_ID
    if (id) headers['x-amzn-trace-id'] = id
  }
  const traceparent = store?.getTraceparent?.()
  if (!traceparent) return
  headers.traceparent = traceparent
  const [tracestate, baggage] = [store?.getTracestate?.(), store?.getBaggage?.()]
  if (tracestate) headers.tracestate = tracestate
  if (baggage) headers.baggage = baggage
}
