// One event to one subscription, at most once; one that hangs holds up none of the others.
import { consumeOn } from '../shared/lambda/consume-on.ts'
import { deliver } from '../shared/webhooks/delivery.ts'

export const handler = consumeOn('deliveries', deliver)
