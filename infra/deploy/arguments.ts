// The command line of `npm run deploy -- STAGE [options of cdk deploy]`.
import { parseArgs } from 'node:util'
import { PARAMETERS } from '../../shared/runtime/parameters.ts'
import { Context } from '../stage-settings.ts'
import type { Stage } from '../stages.ts'

/** A wrong command line, or what keeps a stage from being deployed. The message says what to do. */
export class DeployError extends Error {}

/** The options that this program reads as well. `cdk` gets all words. */
const OPTIONS = {
  context: { type: 'string', short: 'c', multiple: true },
  profile: { type: 'string' },
  region: { type: 'string' },
} as const

export type DeployArguments = {
  stage: string
  /** The values of the stage, and those of the command line, which have the last word. */
  context: Record<string, string>
  /** Those of the stage, as `name=value`. */
  parameters: string[]
  profile: string | undefined
  region: string | undefined
  /** All words after the stage. */
  words: string[]
}

/** Throws DeployError. */
export function readArguments(argv: string[], stages: Record<string, Stage>): DeployArguments {
  const [stage, ...words] = argv
  const names = Object.keys(stages)
  const values = stage !== undefined && Object.hasOwn(stages, stage) ? stages[stage] : undefined
  if (stage === undefined || values === undefined) {
    const wrong = stage === undefined || stage.startsWith('-') ? 'Name a stage' : `There is no stage ${stage}`
    throw new DeployError(
      `${wrong}: npm run deploy -- ${names[0]}. infra/stages.ts has the stages: ${names.join(', ')}.`,
    )
  }
  const {
    context: pairs = [],
    profile,
    region,
  } = parseArgs({ args: words, options: OPTIONS, strict: false }).values
  const given = Object.fromEntries(pairs.map(pair => nameAndValue(String(pair))))
  if ('stage' in given) {
    throw new DeployError('The stage is the first word, not a context value: npm run deploy -- NAME.')
  }
  const { parameters = {}, ...own } = values
  const texts = Object.entries(own).map(([name, value]) => [name, String(value)])
  const context = { stage, ...Object.fromEntries(texts), ...given }
  checkNames(Object.keys(context), Object.keys(parameters))
  return {
    stage,
    context,
    parameters: Object.entries(parameters).map(([name, value]) => `${name}=${value}`),
    profile: profile === undefined ? undefined : String(profile),
    region: region === undefined ? undefined : String(region),
    words,
  }
}

function nameAndValue(pair: string): [name: string, value: string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
  if (name === undefined || value === undefined) {
    throw new DeployError(`-c ${pair}: write it as -c name=value.`)
  }
  return [name, value]
}

/** The CDK ignores a misspelled name, and its value would be missing. */
function checkNames(context: string[], parameters: string[]): void {
  // The flags of the CDK, such as `@aws-cdk/core:checkSecretUsage`, have such a sign.
  const wrong = context.find(name => !/[@:/]/.test(name) && !Object.hasOwn(Context.shape, name))
  if (wrong !== undefined) {
    throw new DeployError(`There is no context value ${wrong}. infra/README.md lists all of them.`)
  }
  const unknown = parameters.find(name => !Object.hasOwn(PARAMETERS, name))
  if (unknown !== undefined) {
    throw new DeployError(`There is no parameter ${unknown}. infra/README.md lists all of them.`)
  }
}
