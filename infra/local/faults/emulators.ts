// Inserts interceptors between functions and emulators.
import { parseEndpoint } from '../door/endpoint.ts'
import type { Emulators } from '../emulators.ts'
import type { Crash, Interceptor } from './call.ts'
import { startCallProxy } from './call-proxy.ts'

/** Returns the same emulators with the endpoints of the proxy. Without interceptors there is no proxy. */
export async function interceptCalls(
  emulators: Emulators,
  interceptors: Interceptor[],
  crash: Crash,
): Promise<Emulators> {
  if (interceptors.length === 0) return emulators
  const { dynamodb, sqs, ses, secretsManager } = emulators
  const upstreams = { dynamodb: dynamodb.endpoint, sqs: sqs.endpoint, ses: ses.endpoint }
  const { endpoints, stop } = await startCallProxy(upstreams, interceptors, crash)
  return {
    dynamodb: { ...dynamodb, endpoint: endpoints.dynamodb },
    // SDKs connect to the host in a queue's URL.
    sqs: {
      ...sqs,
      endpoint: endpoints.sqs,
      queueUrl: name =>
        sqs.queueUrl(name).replace(parseEndpoint(sqs.endpoint).url, parseEndpoint(endpoints.sqs).url),
    },
    ses: { ...ses, endpoint: endpoints.ses },
    // Faults concern data and messages. Its connections are few, and each is checked by its own door.
    secretsManager,
    stop,
  }
}
