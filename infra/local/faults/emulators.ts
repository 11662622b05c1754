// The emulators as they are called through judges.
import { placeOf } from '../door/endpoint.ts'
import type { Emulators } from '../emulators.ts'
import type { Crash, Judge } from './call.ts'
import { startInterceptor } from './interceptor.ts'

/** The same emulators at other addresses; without judges they stay where they are. */
export async function interceptCalls(
  emulators: Emulators,
  judges: Judge[],
  crash: Crash,
): Promise<Emulators> {
  if (judges.length === 0) return emulators
  const { dynamodb, sqs, ses } = emulators
  const upstreams = { dynamodb: dynamodb.endpoint, sqs: sqs.endpoint, ses: ses.endpoint }
  const { endpoints, stop } = await startInterceptor(upstreams, judges, crash)
  return {
    dynamodb: { ...dynamodb, endpoint: endpoints.dynamodb },
    // SDKs call the host of a queue's URL.
    sqs: {
      ...sqs,
      endpoint: endpoints.sqs,
      queueUrl: name => sqs.queueUrl(name).replace(placeOf(sqs.endpoint).url, placeOf(endpoints.sqs).url),
    },
    ses: { ...ses, endpoint: endpoints.ses },
    stop,
  }
}
