// Runs in a worker thread: fauxqs, the emulator of SQS, behind a door. Its commits do not delay requests.
import { workerData } from 'node:worker_threads'
import { type FauxqsServer, startFauxqs } from 'fauxqs'
import { REGION } from '../account.ts'
import { collectGarbage } from '../collect-garbage.ts'
import { openDoorTo } from '../door/door.ts'
import type { QueueAnswer, QueueDepth, QueueRequest, QueueThreadStart } from './queue-protocol.ts'
import { commitQuickly } from './quick-commits.ts'
import { withoutPort } from './without-port.ts'

const { folder, key, signal, port }: QueueThreadStart = workerData

commitQuickly()
try {
  const options = { port: 0, logger: false, defaultRegion: REGION, ...(folder && { dataDir: folder }) }
  const { fauxqs, server } = await withoutPort(() => startFauxqs(options))
  const door = await openDoorTo(server, key)
  port.on('message', async (request: QueueRequest) => {
    if (request.kind === 'depth') return answer({ kind: 'depth', value: depthIn(fauxqs, request.name) })
    if (request.kind === 'inspect') {
      return answer({ kind: 'inspect', value: fauxqs.inspectQueue(request.name) })
    }
    await door.stop()
    await fauxqs.stop()
    port.close()
  })
  post({ kind: 'ready', endpoint: door.endpoint })
  collectGarbage()
} catch (error) {
  post({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  port.close()
}

function post(message: QueueAnswer): void {
  port.postMessage(message)
}

/** Wakes the service, which waits. */
function answer(message: QueueAnswer): void {
  post(message)
  Atomics.store(signal, 0, 1)
  Atomics.notify(signal, 0)
}

function depthIn(fauxqs: FauxqsServer, name: string): QueueDepth | undefined {
  const attributes = fauxqs.inspectQueue(name)?.attributes
  return (
    attributes && {
      visible: Number(attributes.ApproximateNumberOfMessages),
      inFlight: Number(attributes.ApproximateNumberOfMessagesNotVisible),
      delayed: Number(attributes.ApproximateNumberOfMessagesDelayed),
    }
  )
}
