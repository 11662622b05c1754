// API keys and the usage plans that throttle them, with one token bucket per key.
import * as z from 'zod/mini'
import { parseProperties, type Template } from '../template/template.ts'
import { GatewayFault } from './gateway-responses.ts'

export type ApiKey = { id: string; value: string }

export type UsagePlans = {
  /**
   * Takes one request from the key's bucket.
   * Throws the fault INVALID_API_KEY for a key without a plan, THROTTLED if the bucket is empty.
   */
  consume(keyValue: string | undefined, nowMs: number): ApiKey
}

type Throttle = { ratePerSecond: number; burst: number }
type Bucket = Throttle & { key: ApiKey; tokens: number; filledAtMs: number }

const throttle = z._default(
  z.object({ RateLimit: z.optional(z.coerce.number()), BurstLimit: z.optional(z.coerce.number()) }),
  {},
)
const apiKey = z.object({ Value: z.optional(z.string()), Enabled: z._default(z.boolean(), false) })

export function createUsagePlans(template: Template, resolve: (value: unknown) => unknown): UsagePlans {
  const throttles = new Map<string, Throttle>()
  for (const plan of template.resourcesOf('AWS::ApiGateway::UsagePlan')) {
    const limits = parseProperties(plan, throttle, resolve(plan.properties.Throttle))
    const { RateLimit = Infinity, BurstLimit = RateLimit } = limits
    throttles.set(plan.id, { ratePerSecond: RateLimit, burst: BurstLimit })
  }
  const keys = new Map<string, ApiKey>()
  for (const resource of template.resourcesOf('AWS::ApiGateway::ApiKey')) {
    const { id, properties } = resource
    const resolved = resolve({ Value: properties.Value, Enabled: properties.Enabled })
    const { Value, Enabled } = parseProperties(resource, apiKey, resolved)
    // API Gateway generates a missing value; here it is the logical id.
    if (Enabled) keys.set(id, { id, value: Value ?? id })
  }

  const buckets = new Map<string, Bucket>()
  for (const { properties } of template.resourcesOf('AWS::ApiGateway::UsagePlanKey')) {
    const [keyId = ''] = template.referencesIn(properties.KeyId, 'AWS::ApiGateway::ApiKey')
    const [planId = ''] = template.referencesIn(properties.UsagePlanId, 'AWS::ApiGateway::UsagePlan')
    const [key, limits] = [keys.get(keyId), throttles.get(planId)]
    if (key && limits) buckets.set(key.value, { ...limits, key, tokens: limits.burst, filledAtMs: -Infinity })
  }

  return {
    consume(keyValue, nowMs) {
      const bucket = keyValue === undefined ? undefined : buckets.get(keyValue)
      if (!bucket) throw new GatewayFault('INVALID_API_KEY')
      if (!takeToken(bucket, nowMs)) throw new GatewayFault('THROTTLED')
      return bucket.key
    },
  }
}

function takeToken(bucket: Bucket, nowMs: number): boolean {
  if (bucket.ratePerSecond === Infinity) return true
  const refill = (Math.max(0, nowMs - bucket.filledAtMs) / 1000) * bucket.ratePerSecond
  bucket.tokens = Math.min(bucket.burst, bucket.tokens + refill)
  bucket.filledAtMs = nowMs
  if (bucket.tokens < 1) return false
  bucket.tokens -= 1
  return true
}
