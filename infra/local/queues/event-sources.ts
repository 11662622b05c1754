// Reads the template's event source mappings: which queue invokes which function, and how.
import * as z from 'zod/mini'
import { pick } from '../template/pick.ts'
import { parseProperties, type Resource } from '../template/template.ts'

export type EventSourceMapping = {
  queueUrl: string
  queueArn: string
  functionId: string
  batchSize: number
  maximumConcurrency: number
  reportsFailures: boolean
}

const mappingProperties = z.object({
  BatchSize: z._default(z.coerce.number(), 10),
  Enabled: z._default(z.boolean(), true),
  EventSourceArn: z.string(),
  FunctionResponseTypes: z._default(z.array(z.string()), []),
  ScalingConfig: z.optional(z.object({ MaximumConcurrency: z._default(z.coerce.number(), 5) })),
})

const DEFAULT_CONCURRENCY = 5
const LARGEST_RECEIVE = 10

/** Reads the enabled AWS::Lambda::EventSourceMapping resources. */
export function mappingsOf(options: {
  resources: Resource[]
  resolve: (value: unknown) => unknown
  functionIdOf: (reference: unknown) => string
  queueUrlOf: (queueArn: string) => string
}): EventSourceMapping[] {
  return options.resources.flatMap(resource => {
    const { properties } = resource
    const names = Object.keys(mappingProperties.shape)
    const parsed = parseProperties(resource, mappingProperties, options.resolve(pick(properties, names)))
    if (!parsed.Enabled) return []
    const queueArn = parsed.EventSourceArn
    return {
      queueArn,
      queueUrl: options.queueUrlOf(queueArn),
      functionId: options.functionIdOf(properties.FunctionName),
      batchSize: Math.min(parsed.BatchSize, LARGEST_RECEIVE),
      maximumConcurrency: parsed.ScalingConfig?.MaximumConcurrency ?? DEFAULT_CONCURRENCY,
      reportsFailures: parsed.FunctionResponseTypes.includes('ReportBatchItemFailures'),
    }
  })
}
