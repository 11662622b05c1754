// The arguments of `npm run deploy`: the values of a stage, and those of the command line.
import { describe, expect, it } from 'vitest'
import { readArguments } from '../../infra/deploy/arguments.ts'
import { readSettings } from '../../infra/stage-settings.ts'
import { STAGES } from '../../infra/stages.ts'

const DOMAIN = { domain: 'content.example', certificate: 'arn:aws:acm:us-east-1:0:certificate/1' }

describe('the stages', () => {
  it.each(Object.entries(STAGES))('%s has valid values', (stage, values) => {
    const context: Record<string, unknown> = { ...values, stage }
    expect(readSettings(name => context[name]).stage).toBe(stage)
  })
})

describe('readArguments', () => {
  const stages = { live: { ...DOMAIN, maxConcurrency: 3, parameters: { LimitScale: '2' } }, dev: {} }

  it('takes the values of the stage, then those of the command line, which have the last word', () => {
    const words = ['-c', 'maxConcurrency=4', '--profile', 'ada', '--context=domain=b.example', '--region=x']
    expect(readArguments(['live', ...words], stages)).toEqual({
      stage: 'live',
      context: { stage: 'live', ...DOMAIN, maxConcurrency: '4', domain: 'b.example' },
      parameters: ['LimitScale=2'],
      profile: 'ada',
      region: 'x',
      words,
    })
  })

  it.each([
    [[], 'Name a stage: npm run deploy -- live. infra/stages.ts has the stages: live, dev.'],
    [['--profile', 'ada'], 'Name a stage'],
    [['prod'], 'There is no stage prod'],
    [['constructor'], 'There is no stage constructor'],
    [['live', '-c', 'stage=dev'], 'The stage is the first word'],
    [['live', '-c', 'shild=false'], 'There is no context value shild. infra/README.md lists all of them.'],
    [['live', '-c', 'shield'], '-c shield: write it as -c name=value.'],
    [['live', '-c'], 'write it as -c name=value.'],
  ])('refuses %j', (argv, message) => {
    expect(() => readArguments(argv, stages)).toThrow(message)
  })

  it('refuses a stage with a value or a parameter that does not exist', () => {
    const withValue = (name: string) => Object.fromEntries([[name, 'x']])
    expect(() => readArguments(['live'], { live: withValue('alarmEmial') })).toThrow(
      'There is no context value alarmEmial',
    )
    expect(() => readArguments(['live'], { live: { parameters: withValue('SiteURL') } })).toThrow(
      'There is no parameter SiteURL',
    )
  })

  it('leaves the flags of the CDK alone', () => {
    const flag = '@aws-cdk/core:checkSecretUsage=false'
    expect(readArguments(['dev', '-c', flag], stages).context).toEqual({
      stage: 'dev',
      '@aws-cdk/core:checkSecretUsage': 'false',
    })
  })
})
