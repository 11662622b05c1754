// The AWS account of the local run: region, account id, ARNs, and credentials for the emulators.
import { parseEndpoint } from './door/endpoint.ts'

export const REGION = 'us-east-1'
export const ACCOUNT_ID = '000000000000'
/** How many functions an account may run at once, unless it asks for more. */
export const LAMBDA_QUOTA = 1_000

export function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${REGION}:${ACCOUNT_ID}:${resource}`
}

type Caller = { accessKeyId: string; session: string }

/** Settings of an SDK client for an emulator. With a session the client acts as that worker of a function. */
export function clientSettings(endpoint: string, { accessKeyId, session }: Caller = OWNER) {
  const { url, key } = parseEndpoint(endpoint)
  const sessionToken = key + session
  return {
    endpoint: url,
    region: REGION,
    credentials: { accessKeyId, secretAccessKey: 'local', sessionToken },
  }
}

const OWNER: Caller = { accessKeyId: 'local', session: '' }
