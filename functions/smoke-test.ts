// Tests a deployment from inside it: CloudFormation rolls the stack back if this custom resource fails.
import { outcomeOf } from '../shared/smoke/outcome.ts'
import { answerTo, readEvent } from '../shared/smoke/resource-event.ts'

export async function handler(event: unknown): Promise<void> {
  const resourceEvent = readEvent(event)
  await answerTo(resourceEvent, await outcomeOf(resourceEvent))
}
