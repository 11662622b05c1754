// Delivers an event to its subscriptions, to each at most once.
import { consume } from '../shared/lambda/consume.ts'
import { deliver } from '../shared/webhooks/commands/deliver.ts'

/** The function has 60 s. A message may wait for others of its batch. */
const TIMEOUT_MS = 50_000

export const handler = consume('deliveries', deliver, { timeoutMs: TIMEOUT_MS })
