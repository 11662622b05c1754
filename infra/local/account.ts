// The AWS account that the local run plays: names that appear in ARNs and queue URLs, and credentials nobody checks.
export const region = 'us-east-1'
export const accountId = '000000000000'

export function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${region}:${accountId}:${resource}`
}

/** The settings of an SDK client that talks to an emulator. */
export function clientOf(endpoint: string) {
  return { endpoint, region, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }
}
