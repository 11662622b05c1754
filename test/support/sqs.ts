// The emulator of SQS alone, for tests that create queues of their own.
import { startFauxqs } from 'fauxqs'
import { ACCOUNT_ID, REGION } from '../../infra/local/account.ts'
import { hiddenAddress } from '../../infra/local/addresses.ts'
import { depthIn } from '../../infra/local/queues.ts'

export async function startSqs() {
  const host = hiddenAddress()
  const server = await startFauxqs({ port: 0, host, logger: false, defaultRegion: REGION })
  const endpoint = `http://${host}:${server.port}`
  const inspect = (name: string) => server.inspectQueue(name)
  return {
    endpoint,
    queueUrl: (name: string) => `${endpoint}/${ACCOUNT_ID}/${name}`,
    inspect,
    depth: (name: string) => depthIn(server, name),
    stop: () => server.stop(),
  }
}

export type Sqs = Awaited<ReturnType<typeof startSqs>>
