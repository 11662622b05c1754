// Connects to SQS, for the functions and for the owner's command line.
import type * as Sqs from '@aws-sdk/client-sqs'
import { type Client, type ClientSettings, openClient } from '../aws/client.ts'
import { SQS } from '../aws/services.ts'
import { retrying } from '../table/retrying.ts'

export type QueueOperations = {
  SendMessageBatch: [Sqs.SendMessageBatchRequest, Sqs.SendMessageBatchResult]
  ReceiveMessage: [Sqs.ReceiveMessageRequest, Sqs.ReceiveMessageResult]
  DeleteMessage: [Sqs.DeleteMessageRequest, object]
  DeleteMessageBatch: [Sqs.DeleteMessageBatchRequest, Sqs.DeleteMessageBatchResult]
  ChangeMessageVisibilityBatch: [
    Sqs.ChangeMessageVisibilityBatchRequest,
    Sqs.ChangeMessageVisibilityBatchResult,
  ]
  GetQueueAttributes: [Sqs.GetQueueAttributesRequest, Sqs.GetQueueAttributesResult]
}
export type QueueClient = Client<QueueOperations>

/** All calls go to one endpoint, whatever host the URL of a queue has. A message may be sent twice. */
export function openSqs(settings: ClientSettings): QueueClient {
  const { call, destroy } = openClient<QueueOperations>(SQS, settings)
  return { call: (...args) => retrying(() => call(...args)), destroy }
}
