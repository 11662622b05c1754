// Synthesizes the stack in this process, with other values of the stage, another version or code.
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { inject } from 'vitest'
import cdk from '../../cdk.json' with { type: 'json' }
import { ContentService } from '../../infra/stack.ts'
import { readSettings } from '../../infra/stage-settings.ts'
import { readTemplate, type Template } from './template.ts'

// Several test files of a process share this module, so the folder stays until the run ends.
const folder = mkdtempSync(join(inject('scratch'), 'stack-'))

export const BUNDLES = join(inject('assembly'), 'functions')
/** The bundle of one function with another code. */
export const OTHER_BUNDLE = join(folder, 'bundle')
cpSync(join(BUNDLES, 'sweep'), OTHER_BUNDLE, { recursive: true })
writeFileSync(join(OTHER_BUNDLE, 'more.cjs'), '')

export const DOMAIN = { domain: 'content.example', certificate: 'arn:aws:acm:us-east-1:0:certificate/1' }
/** Everything that a stage can have. */
export const EVERY_VALUE = {
  ...DOMAIN,
  ...{ alarmEmail: 'owner@example.com', monthlyBudgetUsd: '50', mailSender: 'content@example.com' },
  ...{ backupDays: '365', traffic: 'canary', shield: 'true' },
}

export type Change = { version?: string; bundleFolder?: (name: string) => string }

/** With the bundles of the assembly. */
export function synthesize(context: Record<string, string> = {}, change: Change = {}): Template {
  const { version = '1', bundleFolder = name => join(BUNDLES, name) } = change
  const outdir = mkdtempSync(join(folder, 'out-'))
  // The validation of `npm run synth` takes a second a stack.
  const app = new App({ outdir, context: cdk.context, builtinCloudFormationValidation: false })
  const settings = readSettings(name => context[name])
  new ContentService(app, 'ContentService', { settings, version, bundleFolder })
  app.synth()
  return readTemplate(outdir)
}
