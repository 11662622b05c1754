// Our signatures are those of the SDK's own signer.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openSigner } from '../../shared/aws/signature.ts'

/** Signs with the SDK, and returns all headers. */
async function signedBySdk(
  request: { headers: Record<string, string>; body: string },
  scope: { region: string; service: string },
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined },
  signingDate: Date,
) {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  const client = new DynamoDBClient({
    region: scope.region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
    // Otherwise it adds a header that only S3 needs.
    applyChecksum: false,
  } as never)
  const { region: signingRegion, service: signingName } = scope
  const signer = await client.config.signer({ name: 'sigv4', signingName, signingRegion, properties: {} })
  const target = { protocol: 'https:', hostname: 'x', method: 'POST', path: '/', query: {} }
  const { headers } = await signer.sign({ ...target, ...request } as never, { signingDate })
  return headers
}

const word = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_.:/+='), minLength: 1, maxLength: 40 })
const arbitrary = {
  headers: fc.record({
    host: word,
    'content-type': fc.constant('application/x-amz-json-1.0'),
    'content-length': fc.nat().map(String),
    'x-amz-target': word,
  }),
  body: fc.string({ unit: 'binary' }),
  scope: fc.record({
    region: fc.constantFrom('us-east-1', 'eu-central-1'),
    service: fc.constantFrom('dynamodb', 'sqs'),
  }),
  credentials: fc.record({
    accessKeyId: word,
    secretAccessKey: fc.string({ minLength: 1 }),
    sessionToken: fc.option(word, { nil: undefined }),
  }),
  date: fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
}

describe('a signature', () => {
  it('is that of the SDK for any request, scope, credentials and date', async () => {
    await fc.assert(
      fc.asyncProperty(fc.record(arbitrary), async ({ headers, body, scope, credentials, date }) => {
        const ours = openSigner(scope)(headers, body, credentials, date)
        expect(ours).toEqual(await signedBySdk({ headers, body }, scope, credentials, date))
      }),
    )
  })

  it('is that of the SDK after a change of the day and of the credentials', async () => {
    const scope = { region: 'us-east-1', service: 'dynamodb' }
    const sign = openSigner(scope)
    const request = { headers: { host: 'a.host' }, body: '{}' }
    const someone = { accessKeyId: 'a', secretAccessKey: 'b' }
    const renewed = { accessKeyId: 'a', secretAccessKey: 'c', sessionToken: 'd' }
    for (const credentials of [someone, renewed, someone]) {
      for (const day of [
        '2026-02-28T23:59:59.999Z',
        '2026-03-01T00:00:00.000Z',
        '2026-02-28T23:59:59.999Z',
      ]) {
        const ours = sign(request.headers, request.body, credentials, new Date(day))
        expect(ours).toEqual(await signedBySdk(request, scope, credentials, new Date(day)))
      }
    }
  })
})
