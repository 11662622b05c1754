// Lints the template of a stage with every value, by the CDK's own checks, cdk-nag and cfn-lint.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { KEPT } from './deployed.ts'

const PROJECT = new URL('../..', import.meta.url).pathname
const CDK = join(PROJECT, 'node_modules/aws-cdk/bin/cdk')

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
export function lint(scripts: string, folder: string): void {
  const assembly = join(folder, 'linted')
  const context = Object.entries(ALL_VALUES).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const options = { cwd: PROJECT, stdio: 'inherit' } as const
  const env = { ...process.env, CDK_OUTDIR: assembly }
  // Fails for findings of cdk-nag, whose reasons are given by infra/acknowledge.ts.
  execFileSync(process.execPath, [CDK, 'synth', '--quiet', ...context, '--output', assembly], {
    ...options,
    env,
  })
  const template = join(assembly, 'ContentService.template.json')
  execFileSync(
    join(scripts, 'cfn-lint'),
    ['--ignore-checks', ...Object.keys(EXPLAINED), '--', template],
    options,
  )
}
