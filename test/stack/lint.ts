// Lints the template of a stage with every value: by cdk-nag, and by cfn-lint in each region that takes them.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { refusedIn } from '../../infra/deploy/limits.ts'
import { KEPT, openStage } from './deployed.ts'

const ALL_VALUES = {
  ...KEPT,
  domain: 'content.example',
  certificate: 'arn:aws:acm:us-east-1:000000000000:certificate/1',
  v2ShippedOn: '2026-08-31',
}

/** What cfn-lint may find, with the reason. */
const EXPLAINED = {
  W3005: 'The CDK names a dependency of a function on its role, which a reference already implies.',
}

/** Throws if a check finds something that is not explained. */
export async function lint(scripts: string, folder: string): Promise<void> {
  const regions = regionsOf(scripts)
  const settings = {
    mailSender: ALL_VALUES.mailSender,
    monthlyBudgetUsd: Number(ALL_VALUES.monthlyBudgetUsd),
  }
  // `npm run deploy` stops before it deploys a value that the region refuses.
  const accepting = regions.filter(region => refusedIn(region, settings).length === 0)
  const whole = openStage({ endpoint: '', folder, stage: 'linted', values: ALL_VALUES })
  // Fails for findings of cdk-nag, whose reasons are given by infra/app.ts.
  await whole.synthesize()
  cfnLint(scripts, whole.template, accepting)
  const { mailSender, monthlyBudgetUsd, ...values } = ALL_VALUES
  const everywhere = openStage({ endpoint: '', folder, stage: 'linted-everywhere', values })
  await everywhere.synthesize()
  cfnLint(scripts, everywhere.template, regions)
}

/** All that cfn-lint knows. */
function regionsOf(scripts: string): string[] {
  const print = 'from cfnlint.helpers import REGIONS; print(*REGIONS)'
  const text = execFileSync(join(scripts, 'python'), ['-c', print], { encoding: 'utf8' })
  return text.trim().split(' ')
}

function cfnLint(scripts: string, template: string, regions: string[]): void {
  const ignored = ['--ignore-checks', ...Object.keys(EXPLAINED)]
  execFileSync(join(scripts, 'cfn-lint'), [...ignored, '--regions', ...regions, '--', template], {
    stdio: 'inherit',
  })
}
