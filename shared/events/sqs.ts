// The client of the queues, here and on the owner's command line.
import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs'

/** Where calls go instead of AWS: an emulator, or the account's own VPC endpoint. */
export type SqsEndpoint = {
  AWS_ENDPOINT_URL_SQS?: string | undefined
  AWS_ENDPOINT_URL?: string | undefined
}

/** By itself the SDK sends to the host in the queue's URL, even where another endpoint is given. */
export function openSqs(
  { AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL }: SqsEndpoint,
  settings: SQSClientConfig = {},
): SQSClient {
  const endpoint = AWS_ENDPOINT_URL_SQS || AWS_ENDPOINT_URL
  return new SQSClient({ ...settings, ...(endpoint && { endpoint, useQueueUrlAsEndpoint: false }) })
}
