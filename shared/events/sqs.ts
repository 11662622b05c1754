// The SQS client, for the functions and for the owner's command line.
import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs'
import { sendDirectly } from '../aws/direct.ts'
import { QUEUE_CALLS } from './direct-calls.ts'

/** The endpoint of calls, if it is not AWS's own: an emulator or the account's VPC endpoint. */
export type SqsEndpoint = {
  AWS_ENDPOINT_URL_SQS?: string | undefined
  AWS_ENDPOINT_URL?: string | undefined
}

/** By default the SDK sends to the host in the queue's URL, even if another endpoint is configured. */
export function openSqs(
  { AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL }: SqsEndpoint,
  settings: SQSClientConfig = {},
): SQSClient {
  const endpoint = AWS_ENDPOINT_URL_SQS || AWS_ENDPOINT_URL
  const client = new SQSClient({ ...settings, ...(endpoint && { endpoint, useQueueUrlAsEndpoint: false }) })
  return sendDirectly(client, QUEUE_CALLS)
}
