// The entry point of `npm run cost -- [STAGE]`: what a stage of infra/stages.ts costs, by its template.
import { App } from 'aws-cdk-lib'
import cdk from '../../cdk.json' with { type: 'json' }
import { ContentService } from '../stack.ts'
import { readSettings } from '../stage-settings.ts'
import { STAGES } from '../stages.ts'
import { rowsOf } from './model.ts'
import list from './prices.json' with { type: 'json' }

/** The code of a function costs nothing, so any folder stands for its bundle. */
function bundleFolder(): string {
  return import.meta.dirname
}

/** @param values those of a stage in infra/stages.ts. */
export function costOf(values: Record<string, unknown>): string {
  const settings = readSettings(name => values[name])
  const app = new App({ context: cdk.context, builtinCloudFormationValidation: false })
  const stack = new ContentService(app, 'ContentService', { settings, version: '0', bundleFolder })
  const { template } = app.synth().getStackByName(stack.stackName)
  const rows = rowsOf(template, settings).map(([what, dollars]) => {
    const amount = dollars < 0.01 ? dollars.toFixed(5) : dollars.toFixed(2)
    return `| ${what} | ${amount} |`
  })
  return [`| ${list.region}, list prices | $ |`, '|---|---|', ...rows, ''].join('\n')
}

if (import.meta.main) {
  const [stage = 'live'] = process.argv.slice(2)
  const values = STAGES[stage]
  if (values === undefined) {
    console.error(`There is no stage ${stage}. infra/stages.ts has: ${Object.keys(STAGES).join(', ')}.`)
    process.exitCode = 2
  } else {
    // What the first deployment asks for.
    console.log(costOf({ alarmEmail: 'owner@example.com', ...values }))
  }
}
