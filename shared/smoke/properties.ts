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

/** The part that writes, with the token of an admin. */
const Writing = z.object({
  /** The ARN of the secret whose text is the token. */
  Secret: z.string(),
  /** Where deliveries go. Without it, they go to a host that does not exist. */
  Receiver: z.optional(z.url()),
  /** For all steps together, and then for deleting what a failed step left. */
  BudgetSeconds: seconds,
  CleanUpSeconds: seconds,
  /** With `{id}` in their paths. */
  Endpoints: z.object({
    ListPosts: Request,
    CreatePost: Request,
    GetPost: Request,
    DeletePost: Request,
    ListWebhooks: Request,
    CreateWebhook: Request,
    TestWebhook: Request,
    GetWebhook: Request,
    DeleteWebhook: Request,
    ListDeliveries: Request,
  }),
  /** The workers between a write and its delivery. */
  Workers: z.array(Part),
})

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
  /** Missing without a token. */
  Writing: z.optional(Writing),
})

export type Part = z.output<typeof Part>
export type SmokeRequest = z.output<typeof Request>
export type Writing = z.output<typeof Writing>
export type WritingEndpoint = keyof Writing['Endpoints']
export type SmokeTestProperties = z.output<typeof SmokeTestProperties>
