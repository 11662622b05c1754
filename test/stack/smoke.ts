// What the smoke test of an update writes with: the token of the owner in a secret, and a receiver.
import { text } from 'node:stream/consumers'
import * as z from 'zod/mini'
import { openServer } from '../smoke/server.ts'
import type { Deployed } from './deployed.ts'
import type { Owner } from './owner.ts'

const Secret = z.object({ ARN: z.string() })
const Delivered = z.object({ event: z.string() })

export async function openSmokeTest({ endpoint, name }: Deployed, { token }: Owner) {
  const events: string[] = []
  const receiver = await openServer(async (request, response) => {
    events.push(Delivered.parse(JSON.parse(await text(request))).event)
    response.writeHead(204).end()
  })
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'secretsmanager.CreateSecret',
      authorization:
        'AWS4-HMAC-SHA256 Credential=000000000000/20260101/us-east-1/secretsmanager/aws4_request',
    },
    body: JSON.stringify({ Name: `smoke-test-${name}`, SecretString: token }),
  })
  const { ARN } = Secret.parse(await response.json())
  return {
    context: { smokeTestSecret: ARN, smokeTestReceiver: receiver.url },
    /** What the receiver got. */
    events,
    [Symbol.asyncDispose]: receiver.stop,
  }
}
