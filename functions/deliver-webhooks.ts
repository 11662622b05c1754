// One event to one subscription, at most once; a batch is delivered side by side.
import { consume } from '../shared/lambda/consume.ts'
import { deliver } from '../shared/webhooks/delivery.ts'

export const handler = consume('deliveries', deliver)
