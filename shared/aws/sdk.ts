// What direct calls use of a client of the SDK and of its commands.
import type { SignedRequest } from './destination.ts'
import type { HttpHandler } from './exchange.ts'
import type { Credentials } from './signature.ts'

export type SdkConfig = {
  credentials: () => Promise<Credentials>
  /** How many milliseconds the clock of AWS is ahead of this one. */
  systemClockOffset: number
  disableClockSkewCorrection?: () => Promise<boolean>
  requestHandler: HttpHandler
  retryStrategy: () => Promise<RetryStrategy>
}

export type RetryStrategy = {
  mode?: string
  acquireInitialRetryToken?(scope: string): Promise<object>
  recordSuccess?(token: object): void
}

/** `request` is there from the step on that writes it. */
export type Call = { input: object; request?: SignedRequest }
export type Result = { response: unknown; output?: object }
export type Run = (call: Call) => Promise<Result>
type Place = { step: string; priority?: string; name: string; override?: boolean }
/** The steps of a client or command, which the SDK calls its middleware. */
export type Steps = {
  add: (step: (next: Run) => Run, place: Place) => void
  resolve: (last: Run, context: object) => Run
}

export type SdkClient = { readonly config: SdkConfig; middlewareStack: object }

export type SdkCommand = {
  readonly input: object
  readonly middlewareStack: Steps
  resolveMiddleware: (
    steps: Steps,
    config: SdkConfig,
    options: object,
  ) => (command: SdkCommand) => Promise<Result>
}
