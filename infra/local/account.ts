// The AWS account of the local run: region, account id, names of queues, and credentials for the emulators.
import { QUEUE_NAMES, QUEUES, type QueueName } from '../../shared/events/message.ts'
import { capitalized } from '../names.ts'

export const REGION = 'us-east-1'
export const ACCOUNT_ID = '000000000000'

export function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${REGION}:${ACCOUNT_ID}:${resource}`
}

/** Settings of a client for an emulator, which takes any key. */
export function clientSettings(endpoint: string) {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  return { endpoint, region: REGION, credentials }
}

type QueueKind = 'Queue' | 'DeadLetters'

/** `EventsQueue`, or `IndexQueue.fifo`. */
export function fullNameOf(queue: QueueName, kind: QueueKind = 'Queue'): string {
  return `${capitalized(queue)}${kind}${QUEUES[queue].isFifo ? '.fifo' : ''}`
}

export function queueUrlOf(endpoint: string, queue: QueueName, kind: QueueKind = 'Queue'): string {
  return `${endpoint}/${ACCOUNT_ID}/${fullNameOf(queue, kind)}`
}

export function queueNameIn(url: string): QueueName | undefined {
  return QUEUE_NAMES.find(queue => url.endsWith(`/${fullNameOf(queue)}`))
}
