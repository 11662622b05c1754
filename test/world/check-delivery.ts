// Compares a delivery with the webhooks of the OpenAPI document: its headers and each member of its body.
import type { IncomingHttpHeaders } from 'node:http'
import { faultBy, webhooks } from './document.ts'

/** Describes how the delivery contradicts the document, if it does. */
export function deliveryFault(
  event: string,
  headers: IncomingHttpHeaders,
  body: unknown,
): string | undefined {
  const webhook = webhooks[event]?.post
  if (!webhook) return `the document has no event ${event}`
  const faults = webhook.parameters
    .filter(({ name, required }) => required || name.toLowerCase() in headers)
    .map(({ name, schema }) => faultBy(schema, headers[name.toLowerCase()], name))
  faults.push(faultBy(webhook.requestBody.content['application/json'].schema, body, event))
  const found = faults.filter(fault => fault !== undefined)
  return found.length > 0 ? `${found.join('; ')}: ${JSON.stringify({ headers, body })}` : undefined
}
