// One event to one subscription, at most once; one that hangs holds up none of the others.
import { consumeContinuously } from '../shared/lambda/consume-continuously.ts'
import { deliver } from '../shared/webhooks/commands/deliver.ts'

export const handler = consumeContinuously('deliveries', deliver)
