// Decides what CloudFormation gets for an event of the smoke test's resource.
import * as z from 'zod/mini'
import { log } from '../runtime/log.ts'
import { SmokeTestProperties } from './properties.ts'
import { reasonOf } from './reason.ts'
import type { Outcome, ResourceEvent } from './resource-event.ts'
import { runSmokeTest } from './run.ts'
import { isRollingBack } from './stack-status.ts'

const SUCCESS: Outcome = { Status: 'SUCCESS' }

/** A failure in a deletion or a rollback would leave the stack in a state that only its owner can repair. */
export async function outcomeOf(event: ResourceEvent): Promise<Outcome> {
  const { RequestType, StackId, ResourceProperties } = event
  if (RequestType === 'Delete' || (await isRollingBack(StackId))) return SUCCESS
  const test = SmokeTestProperties.safeParse(ResourceProperties)
  if (!test.success) return failed(`The smoke test has invalid properties: ${z.prettifyError(test.error)}`)
  const failures = await runSmokeTest(test.data)
  return failures.length === 0 ? SUCCESS : failed(reasonOf(failures, test.data))
}

function failed(Reason: string): Outcome {
  log('error', 'the smoke test failed', { reason: Reason })
  return { Status: 'FAILED', Reason }
}
