// Delivers one event to one subscription, at most once. A receiver that hangs does not delay others.
import { consumeContinuously } from '../shared/lambda/consume-continuously.ts'
import { deliver } from '../shared/webhooks/commands/deliver.ts'

export const handler = consumeContinuously('deliveries', deliver)
