// The properties of the smoke test's resource: the stack writes them, and the function reads them.
import * as z from 'zod/mini'

/** CloudFormation passes every number as a text. */
const seconds = z.coerce.number().check(z.positive())

/** A function of the release. */
const Part = z.object({
  /** The name of the file in functions/. */
  Function: z.string(),
  LogGroup: z.string(),
})

/** A request that one function answers. */
const Request = z.extend(Part, { Method: z.string(), Path: z.string().check(z.startsWith('/')) })

export const SmokeTestProperties = z.object({
  BaseUrl: z.string().check(z.regex(/^https?:\/\/[^/]+/)),
  /** The host to connect to, if the DNS record of the URL's host may not exist yet. */
  ConnectTo: z.optional(z.string()),
  AccessLogGroup: z.string(),
  /** Harmless without a token, one for each function that answers requests. */
  Requests: z.array(Request).check(z.minLength(1)),
  /** The time limit of a request. */
  LimitSeconds: seconds,
  /** The pauses before each retry of the requests that failed. */
  PausesSeconds: z.array(seconds),
})

export type Part = z.output<typeof Part>
export type SmokeRequest = z.output<typeof Request>
export type SmokeTestProperties = z.output<typeof SmokeTestProperties>
