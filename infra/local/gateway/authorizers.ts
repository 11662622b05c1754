// Lambda authorizers of type REQUEST. Their decisions are cached per client address.
import * as z from 'zod/mini'
import { FunctionError } from '../lambda/function-errors.ts'
import type { Log } from '../log.ts'
import type { ApiDocument } from './document.ts'
import type { authorizerEvent } from './event.ts'
import { GatewayFault } from './gateway-responses.ts'

export type Grant = {
  usageIdentifierKey: string | undefined
  /** `requestContext.authorizer` of the proxy event. All values are strings. */
  context: Record<string, string>
}

export type Authorizers = {
  /**
   * Throws ACCESS_DENIED if the policy does not allow the method, UNAUTHORIZED if the function threw
   * `Unauthorized`, AUTHORIZER_FAILURE or AUTHORIZER_CONFIGURATION_ERROR if it failed.
   */
  authorize(name: string, event: ReturnType<typeof authorizerEvent>, nowMs: number): Promise<Grant>
}

type Decision = { grant: Grant; allows(methodArn: string): boolean }
type CachedDecision = { decision: Promise<Decision>; untilMs: number }

const oneOrMore = z.pipe(
  z.union([z.string(), z.array(z.string())]),
  z.transform(value => [value].flat()),
)
const result = z.object({
  principalId: z.string(),
  policyDocument: z.object({
    Statement: z.array(
      z.object({ Effect: z.enum(['Allow', 'Deny']), Action: oneOrMore, Resource: oneOrMore }),
    ),
  }),
  context: z.nullish(
    z.record(z.string(), z.pipe(z.union([z.string(), z.number(), z.boolean()]), z.transform(String))),
  ),
  usageIdentifierKey: z.nullish(z.string()),
})

export function createAuthorizers(options: {
  document: ApiDocument
  functionOf: (uri: string) => string
  invoke: (functionId: string, event: unknown) => Promise<unknown>
  log: Log
}): Authorizers {
  const { document, functionOf, invoke, log } = options
  const authorizers = new Map(
    Object.entries(document.components.securitySchemes).flatMap(([name, scheme]) => {
      if (!('x-amazon-apigateway-authorizer' in scheme)) return []
      const { authorizerUri, authorizerResultTtlInSeconds } = scheme['x-amazon-apigateway-authorizer']
      const ttlMs = authorizerResultTtlInSeconds * 1000
      const cache = new Map<string, CachedDecision>()
      return [[name, { functionId: functionOf(authorizerUri), ttlMs, cache }]]
    }),
  )

  async function decide(functionId: string, event: unknown): Promise<Decision> {
    const answer = await invoke(functionId, event).catch((error: unknown) => {
      log(`The authorizer ${functionId} failed: ${error instanceof Error ? error.message : error}`, 'error')
      const isUnauthorized = error instanceof FunctionError && error.message === 'Unauthorized'
      throw new GatewayFault(isUnauthorized ? 'UNAUTHORIZED' : 'AUTHORIZER_FAILURE')
    })
    const parsed = result.safeParse(answer)
    if (parsed.success) return decisionOf(parsed.data)
    log(`The authorizer ${functionId} returned no valid policy: ${z.prettifyError(parsed.error)}`, 'error')
    throw new GatewayFault('AUTHORIZER_CONFIGURATION_ERROR')
  }

  return {
    async authorize(name, event, nowMs) {
      const authorizer = authorizers.get(name)
      if (!authorizer) throw new Error(`The API has no authorizer ${name}.`)
      const { functionId, ttlMs, cache } = authorizer
      const identity = event.requestContext.identity.sourceIp
      let entry = cache.get(identity)
      if (!entry || entry.untilMs <= nowMs) {
        entry = { decision: decide(functionId, event), untilMs: nowMs + ttlMs }
        cache.set(identity, entry)
        // A failure is not cached.
        entry.decision.catch(() => cache.delete(identity))
      }
      const { grant, allows } = await entry.decision
      if (!allows(event.methodArn)) throw new GatewayFault('ACCESS_DENIED')
      return grant
    },
  }
}

function decisionOf({
  principalId,
  policyDocument,
  context,
  usageIdentifierKey,
}: z.infer<typeof result>): Decision {
  const covers = (effect: 'Allow' | 'Deny') => {
    const patterns = policyDocument.Statement.filter(({ Effect }) => Effect === effect).flatMap(
      ({ Resource }) => Resource,
    )
    const expressions = patterns.map(wildcards)
    return (methodArn: string) => expressions.some(expression => expression.test(methodArn))
  }
  const [allowed, denied] = [covers('Allow'), covers('Deny')]
  return {
    grant: { usageIdentifierKey: usageIdentifierKey ?? undefined, context: { principalId, ...context } },
    allows: methodArn => allowed(methodArn) && !denied(methodArn),
  }
}

/** A resource pattern of a policy: `*` is any text, `?` one character. */
function wildcards(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`, 's')
}
