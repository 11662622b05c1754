// Names and values that the stack shares with its tools and the local run: outputs, parameters, an alias.
import type { QueueName } from '../shared/events/message.ts'
import type { ParameterName, SecretName } from '../shared/runtime/parameters.ts'

export const STACK_PREFIX = 'ContentService-'
export function stackNameOf(stage: string): string {
  return `${STACK_PREFIX}${stage}`
}

/** Holds the second after which DynamoDB deletes an item. */
export const TTL_ATTRIBUTE = 'expires'

/** The alias of every function that answers requests. The API's document names it. */
export const ALIAS = 'live'

/** The function that names the tier of a request. */
export const AUTHORIZER = 'authorize-tier'

/** Larger answers are compressed for clients that accept it. */
export const MIN_COMPRESSION_BYTES = 1024

export const TABLE_OUTPUT = 'TableName'
export const BASE_URL_OUTPUT = 'BaseUrl'
export const SITE_URL_PARAMETER: ParameterName = 'SiteUrl'

/** The name of the output with the id of a secret. */
export function secretOutput(name: SecretName): string {
  return `${name}Secret`
}

export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** The names of the outputs with the URLs of a queue and of its dead-letter queue. */
export function queueOutputs(name: QueueName) {
  return {
    queue: `${capitalized(name)}QueueUrl`,
    deadLetters: `${capitalized(name)}DeadLettersUrl`,
  }
}
