// Delivers an event to its subscriptions, to each at most once. A receiver that hangs does not delay others.
import { consumeContinuously } from '../shared/lambda/consume-continuously.ts'
import { runtime } from '../shared/runtime/runtime.ts'
import { deliver } from '../shared/webhooks/commands/deliver.ts'
import { hasRoom } from '../shared/webhooks/commands/in-flight.ts'

export const handler = consumeContinuously('deliveries', deliver, runtime, hasRoom)
