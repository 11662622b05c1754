// Names by which others find a deployed stage: its stack, and what its outputs and parameters are called.
import type { QueueName } from '../shared/events/message.ts'
import type { ParameterName } from '../shared/service/parameters.ts'

export const stackNameOf = (stage: string): string => `ContentService-${stage}`
export const TABLE_OUTPUT = 'TableName'
export const BASE_URL_OUTPUT = 'BaseUrl'
export const SITE_URL_PARAMETER: ParameterName = 'SiteUrl'

export const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** The outputs with the URLs of a queue and of its dead letters. */
export const queueOutputs = (name: QueueName) => ({
  queue: `${capitalized(name)}QueueUrl`,
  deadLetters: `${capitalized(name)}DeadLettersUrl`,
})
