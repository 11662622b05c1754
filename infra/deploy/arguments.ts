// The command line of `npm run deploy -- STAGE [options of cdk deploy] [--allow]`.
import { parseArgs } from 'node:util'
import { PARAMETERS } from '../../shared/runtime/parameters.ts'
import { Context } from '../stage-settings.ts'
import type { Stage } from '../stages.ts'

/** A wrong command line. The message says what to do. */
export class DeployError extends Error {}

export type DeployArguments = {
  stage: string
  /** Deploy even if that drops what is hard to get back. */
  isAllowed: boolean
  /** For `cdk`, with the values of the stage. What the command line names has the last word. */
  context: string[]
  parameters: string[]
  others: string[]
}

/** Throws DeployError. */
export function readArguments(argv: string[], stages: Record<string, Stage>): DeployArguments {
  const [stage, ...rest] = argv
  const names = Object.keys(stages)
  const values = stage !== undefined && Object.hasOwn(stages, stage) ? stages[stage] : undefined
  if (stage === undefined || values === undefined) {
    const wrong = stage === undefined || stage.startsWith('-') ? 'Name a stage' : `There is no stage ${stage}`
    throw new DeployError(
      `${wrong}: npm run deploy -- ${names[0]}. infra/stages.ts has the stages: ${names.join(', ')}.`,
    )
  }
  const { context, others } = withoutContext(rest)
  if (context.some(pair => pair.startsWith('stage='))) {
    throw new DeployError('The stage is the first word, not a context value: npm run deploy -- NAME.')
  }
  const { parameters = {}, ...own } = values
  const pairs = [`stage=${stage}`, ...Object.entries(own).map(([name, value]) => `${name}=${value}`)]
  checkNames([...pairs, ...context], Object.keys(parameters))
  return {
    stage,
    isAllowed: others.includes('--allow'),
    context: [...pairs, ...context],
    parameters: Object.entries(parameters).map(([name, value]) => `${name}=${value}`),
    others: others.filter(word => word !== '--allow'),
  }
}

/** The CDK ignores a misspelled name, and its value would be missing. */
function checkNames(context: string[], parameters: string[]): void {
  for (const pair of context) {
    const [name = ''] = pair.split('=')
    if (!pair.includes('=')) throw new DeployError(`-c ${pair}: write it as -c name=value.`)
    // The flags of the CDK, such as `@aws-cdk/core:checkSecretUsage`, have such a sign.
    const isFlag = /[@:/]/.test(name)
    if (!isFlag && !Object.hasOwn(Context.shape, name)) {
      throw new DeployError(`There is no context value ${name}. infra/README.md lists all of them.`)
    }
  }
  const unknown = parameters.find(name => !Object.hasOwn(PARAMETERS, name))
  if (unknown !== undefined) {
    throw new DeployError(`There is no parameter ${unknown}. infra/README.md lists all of them.`)
  }
}

/** Takes `-c name=value`, `--context name=value` and `--context=name=value` out of the words. */
function withoutContext(words: string[]): { context: string[]; others: string[] } {
  const options = { context: { type: 'string', short: 'c', multiple: true } } as const
  const { tokens } = parseArgs({ args: words, options, strict: false, tokens: true })
  const given = tokens.flatMap(token => (token.kind === 'option' && token.name === 'context' ? [token] : []))
  const taken = given.flatMap(({ index, inlineValue }) => (inlineValue ? [index] : [index, index + 1]))
  return {
    context: given.map(({ value = '' }) => value.replace(/^=/, '')),
    others: words.filter((_, n) => !taken.includes(n)),
  }
}

/** The last value of a name. */
export function contextValue(context: string[], name: string): string | undefined {
  return context.findLast(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** `['-c', 'stage=live']`: a word before each value. */
export function eachAfter(option: string, values: string[]): string[] {
  return values.flatMap(value => [option, value])
}
