// Reads the template's event source mappings: which queue feeds which function, and how.
import * as z from 'zod/mini'
import { pick } from '../template/pick.ts'
import { parseProperties, type Resource } from '../template/template.ts'

/** One event source mapping, resolved. */
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

/** The AWS::Lambda::EventSourceMapping resources that read a queue and are switched on. */
export function mappingsOf(options: {
  resources: Resource[]
  resolve: (value: unknown) => unknown
  functionIdOf: (reference: unknown) => string
  queueUrlOf: (queueArn: string) => string
}): EventSourceMapping[] {
  return options.resources.flatMap(resource => {
    const { properties } = resource
    const wanted = Object.keys(mappingProperties.shape)
    const given = parseProperties(resource, mappingProperties, options.resolve(pick(properties, wanted)))
    if (!given.Enabled) return []
    const queueArn = given.EventSourceArn
    return {
      queueArn,
      queueUrl: options.queueUrlOf(queueArn),
      functionId: options.functionIdOf(properties.FunctionName),
      batchSize: Math.min(given.BatchSize, LARGEST_RECEIVE),
      maximumConcurrency: given.ScalingConfig?.MaximumConcurrency ?? DEFAULT_CONCURRENCY,
      reportsFailures: given.FunctionResponseTypes.includes('ReportBatchItemFailures'),
    }
  })
}
