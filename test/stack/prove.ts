// Runs `npm run prove` on the emulated stage, and compares what it found with what ministack can show.
import type { Outcome } from '../../infra/prove/check.ts'
import { CHECKS } from '../../infra/prove/checks.ts'
import type { Deployed } from './deployed.ts'
import { EMAIL } from './owner.ts'
import { hold } from './steps.ts'

/** What is found here other than `held`, by a part of the check's name. The README has the reasons. */
const ELSE: Record<string, Outcome> = {
  'allowed and denied': 'cannot be told here',
  'context.requestId': 'did not hold',
  'not UTF-8': 'did not hold',
  'TLS policy': 'cannot be told here',
  gzip: 'did not hold',
  SES: 'cannot be told here',
}

export async function proveStage(stage: Deployed): Promise<void> {
  const { output, code } = await stage.prove('--email', EMAIL, '--url', await stage.baseUrl())
  console.log(output)
  const checks = output.split(/^\d+\. /m).slice(1)
  hold('all checks ran, and some did not hold', checks.length === CHECKS.length && code === 1, { code })
  for (const text of checks) {
    const [name = ''] = text.split('\n')
    const expected = Object.entries(ELSE).find(([part]) => name.includes(part))?.[1] ?? 'held'
    hold(`${name}: ${expected}`, text.includes(`\n   ${expected}: `), text)
  }
}
