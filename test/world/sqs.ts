// The emulator of SQS alone, for tests that create queues of their own.
import { startFauxqs } from 'fauxqs'
import { ACCOUNT_ID, REGION } from '../../infra/local/account.ts'
import { hiddenAddress } from '../../infra/local/hidden-address.ts'
import type { QueueDepth } from '../../infra/local/queues.ts'

export async function startSqs() {
  const host = hiddenAddress()
  const server = await startFauxqs({ port: 0, host, logger: false, defaultRegion: REGION })
  const endpoint = `http://${host}:${server.port}`
  const inspect = (name: string) => server.inspectQueue(name)
  return {
    endpoint,
    queueUrl: (name: string) => `${endpoint}/${ACCOUNT_ID}/${name}`,
    inspect,
    depth(name: string): QueueDepth {
      const attributes = inspect(name)?.attributes
      if (!attributes) throw new Error(`There is no queue ${name}.`)
      return {
        visible: Number(attributes.ApproximateNumberOfMessages),
        inFlight: Number(attributes.ApproximateNumberOfMessagesNotVisible),
        delayed: Number(attributes.ApproximateNumberOfMessagesDelayed),
      }
    },
    stop: () => server.stop(),
  }
}

export type Sqs = Awaited<ReturnType<typeof startSqs>>
