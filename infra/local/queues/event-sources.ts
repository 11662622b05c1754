// Reads the template's event source mappings: which queue feeds which function, and how.
import { z } from 'zod'
import { pick } from '../template/pick.ts'
import { parseProperties, type Resource } from '../template/template.ts'

/** One event source mapping, resolved. */
export type Mapping = {
  queueUrl: string
  queueArn: string
  functionId: string
  batchSize: number
  maximumConcurrency: number
  reportsFailures: boolean
}

const mappingProperties = z.object({
  BatchSize: z.coerce.number().default(10),
  Enabled: z.boolean().default(true),
  EventSourceArn: z.string(),
  FunctionResponseTypes: z.array(z.string()).default([]),
  ScalingConfig: z.object({ MaximumConcurrency: z.coerce.number().default(5) }).optional(),
})

const defaultConcurrency = 5
const largestReceive = 10

/** The AWS::Lambda::EventSourceMapping resources that read a queue and are switched on. */
export function mappingsOf(options: {
  resources: Resource[]
  resolve: (value: unknown) => unknown
  functionIdOf: (reference: unknown) => string
  queueUrlOf: (queueArn: string) => string
}): Mapping[] {
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
      batchSize: Math.min(given.BatchSize, largestReceive),
      maximumConcurrency: given.ScalingConfig?.MaximumConcurrency ?? defaultConcurrency,
      reportsFailures: given.FunctionResponseTypes.includes('ReportBatchItemFailures'),
    }
  })
}
