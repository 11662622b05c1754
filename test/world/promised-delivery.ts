// Every delivery is held against the webhooks of the API's document: its headers, each member of its body.
import type { IncomingHttpHeaders } from 'node:http'
import { faultBy, webhooks } from './document.ts'

/** Throws what is not as the document says. */
export const checkDelivery = (event: string, headers: IncomingHttpHeaders, body: unknown): void => {
  const webhook = webhooks[event]?.post
  if (!webhook) throw new Error(`The document has no event ${event}.`)
  const faults = webhook.parameters.map(({ name, schema }) =>
    faultBy(schema, headers[name.toLowerCase()], name),
  )
  faults.push(faultBy(webhook.requestBody.content['application/json'].schema, body, event))
  const found = faults.filter(fault => fault !== undefined)
  if (found.length > 0) throw new Error(`${found.join('; ')}: ${JSON.stringify({ headers, body })}`)
}
