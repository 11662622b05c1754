// Turns a group of endpoints and their handlers into a Lambda function.
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import type { Group } from '../http/endpoint.ts'
import { type Runtime, runtime } from '../runtime/runtime.ts'
import { withDeadline } from '../table/deadline.ts'
import { admit } from './admit.ts'
import { authenticate } from './authenticate.ts'
import { startChain } from './chain.ts'
import { content } from './content.ts'
import { handle } from './handle.ts'
import type { Handlers } from './handler.ts'
import { idempotency } from './idempotency.ts'
import { limit } from './limit.ts'
import { maintenance } from './maintenance.ts'
import { match } from './match.ts'
import { parse } from './parse.ts'
import { report } from './report.ts'
import { asRun } from './run.ts'
import { secrets } from './secrets.ts'
import { token } from './token.ts'
import { type StageFaults, validate } from './validate.ts'

type Options = {
  openRuntime?: () => Runtime
  /** Checks every body of the group against the stage's configuration. */
  stageFaults?: StageFaults
}

/**
 * Faults by precedence: 404, 413, 503 in maintenance, 403, 429, 401, 409, 422, then the handler's own.
 * Reads run while the request is counted: over the limit, 429 replaces whatever it would have answered.
 */
export function serve<G extends Group>(group: G, handlers: Handlers<G>, options: Options = {}) {
  const { openRuntime = runtime, stageFaults = () => ({}) } = options
  const { handler } = startChain(report(openRuntime))
    .step(match(group, handlers))
    .step(token())
    .step(content())
    .step(maintenance())
    .step(authenticate())
    .step(secrets())
    .step(limit())
    .step(admit())
    .step(idempotency())
    .step(parse())
    .step(validate(stageFaults))
    .step(handle())
  return async (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> => {
    // Fails here if the runtime cannot be created: inside the chain, `report` would hide the reason.
    openRuntime()
    return await asRun(() => withDeadline(() => handler(event, context)))
  }
}
