// Reads the options of `npm run cost` and writes its table.
import { parseArgs } from 'node:util'
import { readSettings, type StageSettings } from '../settings.ts'
import { STAGES } from '../stages.ts'
import { type Bill, billOf, DAY_SECONDS, type Day, SERVICES, tableCeiling, totalOf } from './model.ts'
import list from './prices.json' with { type: 'json' }

const OPTIONS = {
  reads: { type: 'string' },
  publishes: { type: 'string' },
  deliveries: { type: 'string' },
  ceiling: { type: 'boolean', default: false },
  stage: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const HELP = `What a day costs on AWS, calculated from the benchmark's budgets and a list of prices.

  npm run cost -- [--reads N] [--publishes N] [--deliveries N]   by default 1e6, 1000 and 1e5
  npm run cost -- --ceiling   as many requests as the usage plans admit, and as many publishes as a list takes
  --stage NAME   with the rates, units, shield and alarms of this stage in infra/stages.ts; otherwise the defaults
  --json   the same as JSON
`

/** What a list takes; the usage plan of the tier admin admits more. The rest counts as reads. */
const PUBLISHES_A_SECOND = 70
const USUAL: Day = { reads: 1e6, publishes: 1_000, deliveries: 1e5 }

/** A mistake in the options. */
export class UsageError extends Error {}

/** The text to print. Throws UsageError. */
export function reportOf(args: string[], stages: Record<string, Record<string, unknown>> = STAGES): string {
  const options = parse(args)
  if (options.help) return HELP
  const settings = settingsOf(options.stage, stages)
  const usual = options.ceiling ? dayAtCeiling(settings) : USUAL
  const day = {
    reads: countOf('reads', options.reads, usual),
    publishes: countOf('publishes', options.publishes, usual),
    deliveries: countOf('deliveries', options.deliveries, usual),
  }
  const bill = billOf(day, settings.maxUnits, {
    shield: settings.hasShield || settings.webAclArn !== undefined,
    alarms: !settings.isDisposable || settings.alarmEmail !== undefined,
  })
  return options.json ? JSON.stringify({ day, bill }, null, 2) : tableOf(day, bill, settings)
}

function settingsOf(
  stage: string | undefined,
  stages: Record<string, Record<string, unknown>>,
): StageSettings {
  if (stage !== undefined && !Object.hasOwn(stages, stage)) {
    const names = Object.keys(stages).join(', ')
    throw new UsageError(`--stage: There is no stage ${stage}. infra/stages.ts has the stages: ${names}.`)
  }
  const values = stage === undefined ? undefined : stages[stage]
  return readSettings(name => values?.[name])
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function dayAtCeiling({ ratePerSecond }: StageSettings): Day {
  const publishes = Math.min(ratePerSecond.admin, PUBLISHES_A_SECOND) * DAY_SECONDS
  const requests = Object.values(ratePerSecond).reduce((sum, rate) => sum + rate, 0) * DAY_SECONDS
  return { reads: requests - publishes, publishes, deliveries: publishes }
}

/** Units above the ceiling are throttled, so the table costs no more than this. */
function ceilingLine({ maxUnits }: StageSettings): string {
  const units = `${maxUnits.read.toLocaleString('en-US')} read and ${maxUnits.write.toLocaleString('en-US')} write units`
  return `The table takes at most ${units} a second: $${tableCeiling(maxUnits).toFixed(0)} a day.`
}

function countOf(name: keyof Day, text: string | undefined, usual: Day): number {
  if (text === undefined) return usual[name]
  const count = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isSafeInteger(count) && count >= 0) return count
  throw new UsageError(`--${name}: Must be a whole number from 0, such as 1000 or 1e6.`)
}

function tableOf(day: Day, bill: Bill, settings: StageSettings): string {
  const { reads, publishes, deliveries } = day
  const counted = { reads, publishes, deliveries }
  const titles = [
    ...Object.entries(counted).map(([name, count]) => `${count.toLocaleString('en-US')} ${name}`),
    'idle',
    'all',
  ]
  const columns = Object.values(bill)
  const sum = (amountOf: (column: Record<string, number>) => number) => {
    const values = columns.map(amountOf)
    return [...values, values.reduce((total, value) => total + value, 0)]
  }
  const rows: [string, number[]][] = Object.keys(SERVICES).map(service => [
    service,
    sum(column => column[service] ?? 0),
  ])
  rows.push(['Total', sum(totalOf)])
  const head = `A day in ${list.region}, in US dollars, at the prices of ${list.date} (infra/cost/prices.json):`
  const lines = [
    ['', ...titles],
    ...rows.map(([service, values]) => [service, ...values.map(value => value.toFixed(2))]),
  ]
  const widths = ['', ...titles].map((_, n) =>
    lines.reduce((widest, line) => Math.max(widest, line[n]?.length ?? 0), 0),
  )
  const text = lines.map(line =>
    line.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join('  '),
  )
  return `${[head, ceilingLine(settings), '', ...text].join('\n')}\n`
}
