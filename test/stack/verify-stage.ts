// Runs `verify-stage` on the emulated stage, and compares what it finds with what ministack can show.
import { CHECKS } from '../../infra/operator/verify-stage/checks.ts'
import type { DeployedStage } from './deployed.ts'
import { EMAIL } from './owner.ts'
import { hold } from './steps.ts'

/** What is found here other than `held`, by a part of the check's name. The README has the reasons. */
const ELSE: Record<string, string> = {
  'a preflight': 'did not hold',
  'a body that is too large': 'did not hold',
  'not UTF-8': 'did not hold',
  'TLS policy': 'cannot be told here',
  gzip: 'did not hold',
  SES: 'cannot be told here',
}

export async function verifyEmulated(stage: DeployedStage): Promise<void> {
  const { output, code } = await stage.verifyStage('--email', EMAIL, '--url', await stage.baseUrl())
  console.log(output)
  const lines = output.split('\n')
  hold('some checks did not hold', code === 1, { code })
  for (const { name } of CHECKS) {
    const expected = Object.entries(ELSE).find(([part]) => name.includes(part))?.[1] ?? 'held'
    hold(
      `${name}: ${expected}`,
      lines.some(line => line.startsWith(`${expected}: ${name}: `)),
      { output },
    )
  }
}
