// The AWS account of the local run: region, account id, ARNs, and credentials for the emulators.
export const REGION = 'us-east-1'
export const ACCOUNT_ID = '000000000000'

export function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${REGION}:${ACCOUNT_ID}:${resource}`
}

/** The access key of everything but functions. */
export const OWNER_KEY = 'local'

/** Settings of an SDK client for an emulator. The access key says who calls: the owner, or a function. */
export function clientSettings(endpoint: string, accessKeyId = OWNER_KEY) {
  // DynamoDB Local takes letters and digits only.
  const credentials = { accessKeyId: accessKeyId.replaceAll('-', ''), secretAccessKey: 'local' }
  return { endpoint, region: REGION, credentials }
}
