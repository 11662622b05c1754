// The properties of the smoke test's resource: the stack writes them, and the function reads them.
import * as z from 'zod/mini'

/** CloudFormation passes every number as a text. */
const seconds = z.coerce.number().check(z.positive())

/** A harmless anonymous request that one function answers. */
const Request = z.object({
  /** The name of the file in functions/. */
  Function: z.string(),
  Method: z.string(),
  Path: z.string().check(z.startsWith('/')),
  LogGroup: z.string(),
})

export const SmokeTestProperties = z.object({
  BaseUrl: z.string().check(z.regex(/^https?:\/\/[^/]+/)),
  /** The host to connect to, if the DNS record of the URL's host may not exist yet. */
  ConnectTo: z.optional(z.string()),
  AccessLogGroup: z.string(),
  Requests: z.array(Request).check(z.minLength(1)),
  /** The time limit of a request. */
  LimitSeconds: seconds,
  /** The pauses before each retry of the requests that failed. */
  PausesSeconds: z.array(seconds),
})

export type SmokeRequest = z.output<typeof Request>
export type SmokeTestProperties = z.output<typeof SmokeTestProperties>
