// Delivers an event to its subscriptions, to each at most once.
import { consume } from '../shared/lambda/consume.ts'
import { deliver, MESSAGE_TIMEOUT_MS } from '../shared/webhooks/commands/deliver.ts'

export const handler = consume('deliveries', deliver, MESSAGE_TIMEOUT_MS)
