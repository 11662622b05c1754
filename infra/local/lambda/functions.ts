// Runs the template's functions, each in its own pool of worker threads.
import * as z from 'zod/mini'
import type { Access } from '../access/access.ts'
import { parseProperties, type Resource } from '../template/template.ts'
import { RequestTooLargeError } from './function-errors.ts'
import { createPool, type Pool } from './pool.ts'
import { openWorkerBudget } from './worker-budget.ts'
import { PAYLOAD_LIMIT_BYTES } from './worker-protocol.ts'

export { FunctionError, RequestTooLargeError, TimeoutError } from './function-errors.ts'

/** Takes one line of a function's console output, without the line break. */
export type FunctionLog = (functionId: string, line: string) => void

export type Invoke = (functionId: string, event: unknown) => Promise<unknown>

export type Functions = {
  /**
   * Invokes the function of this logical id and returns its answer.
   * Throws FunctionError, TimeoutError (a FunctionError) or RequestTooLargeError.
   */
  invoke: Invoke
  /** Ends the worker of this session immediately. */
  crash(session: string): void
  /** Ends all workers. Running and waiting invocations are rejected with a FunctionError. */
  stop(): Promise<void>
}

const properties = z.object({
  Code: z.object({ S3Key: z.string() }),
  Handler: z.string(),
  Timeout: z._default(z.coerce.number(), 3),
  Environment: z.optional(z.object({ Variables: z._default(z.record(z.string(), z.coerce.string()), {}) })),
})

export function createFunctions(options: {
  /** The AWS::Lambda::Function resources. */
  resources: Resource[]
  resolve: (value: unknown) => unknown
  assetFolder: (s3Key: string) => string
  /** Added to the environment of every function, for example AWS_REGION and AWS_ENDPOINT_URL_DYNAMODB. */
  environment: Record<string, string>
  log: FunctionLog
  /** The permissions of functions. Without it calls are not checked. */
  access?: Pick<Access, 'of' | 'note'>
  /** Worker threads per function. */
  mostThreads?: number
  /** Idle worker threads of all functions together. */
  keptWorkers?: number
}): Functions {
  const pools = new Map<string, Pool>()
  const budget = openWorkerBudget(options.keptWorkers)
  for (const resource of options.resources) {
    const { id } = resource
    // Only the properties that the local run uses are resolved: it has no layers or log groups.
    const { Code, Handler, Timeout, Environment } = resource.properties
    const parsed = parseProperties(
      resource,
      properties,
      options.resolve({ Code, Handler, Timeout, Environment }),
    )
    pools.set(
      id,
      createPool(
        {
          functionId: id,
          folder: options.assetFolder(parsed.Code.S3Key),
          handler: parsed.Handler,
          timeoutMs: parsed.Timeout * 1000,
          environment: {
            ...parsed.Environment?.Variables,
            AWS_ACCESS_KEY_ID: id,
            AWS_SECRET_ACCESS_KEY: 'local',
            AWS_LAMBDA_FUNCTION_NAME: id,
            ...options.environment,
          },
          log: options.log,
          access: options.access?.of(id),
          onNote: options.access?.note,
        },
        { mostThreads: options.mostThreads, budget },
      ),
    )
  }

  return {
    async invoke(functionId, event) {
      const pool = pools.get(functionId)
      if (!pool) throw new Error(`The template has no function ${functionId}.`)
      const payload = JSON.stringify(event)
      const bytes = Buffer.byteLength(payload)
      if (bytes > PAYLOAD_LIMIT_BYTES) {
        throw new RequestTooLargeError(
          `${bytes} byte payload is too large for the RequestResponse invocation type (limit ${PAYLOAD_LIMIT_BYTES} bytes)`,
        )
      }
      const answer = await pool.run(payload)
      return answer === undefined ? undefined : JSON.parse(answer)
    },
    crash(session) {
      for (const pool of pools.values()) pool.crash(session)
    },
    async stop() {
      await Promise.all([...pools.values()].map(pool => pool.stop()))
    },
  }
}
