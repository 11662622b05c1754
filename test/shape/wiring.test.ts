// Checks what joins the resources of the template: variables, permissions, queues, clock, usage plans, table.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import * as z from 'zod/mini'
import { QUEUE_NAMES, QUEUES, type QueueName } from '../../shared/events/message.ts'
import { TIERS } from '../../shared/http/audience.ts'
import { readEnvironment } from '../../shared/runtime/environment.ts'
import { SECRET_NAMES, SECRET_VARIABLES } from '../../shared/runtime/parameters.ts'
import { API_FUNCTIONS } from '../../shared/service/api-functions.ts'
import type { FunctionDeclaration } from '../../shared/service/permissions.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
import { idIn, idOf, plain, readTemplate, statementsOfFunction } from './template.ts'

const template = readTemplate()
const { of, only } = template
const DECLARED: Record<string, FunctionDeclaration> = {
  ...API_FUNCTIONS,
  ...QUEUE_WORKERS,
  ...SCHEDULED_WORKERS,
}

function idOfQueue(name: QueueName): string {
  return only('AWS::SQS::Queue', `${name}queue`).id
}

function arnOf(id: string) {
  return { 'Fn::GetAtt': [id, 'Arn'] }
}

const Variables = z.object({ Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }) })

/** Set by the local run alone, or in a stage with a sender or a date. */
const UNUSUAL = ['ALLOW_LOOPBACK_WEBHOOKS', 'MAIL_SENDER', 'V2_SHIPPED_ON']

describe('the functions', () => {
  const names = [...Object.keys(DECLARED), 'authorize-tier', 'check-release']

  it('are those that are declared, the authorizer of the tiers and the check of a release', () => {
    const found = of('AWS::Lambda::Function').map(({ id }) => plain(id))
    expect(found.toSorted()).toEqual(names.map(idOf).toSorted())
  })

  it('and the gateway have logs under exact names, which are kept for 30 days', () => {
    for (const name of [...names, 'access']) {
      expect(only('AWS::Logs::LogGroup', `${idOf(name)}log`).properties).toEqual({
        LogGroupName: { 'Fn::Join': ['/', [{ Ref: 'AWS::StackName' }, name]] },
        RetentionInDays: 30,
      })
    }
    expect(of('AWS::Logs::LogGroup')).toHaveLength(names.length + 1)
  })
})

describe.each(Object.entries(DECLARED))('the function %s', (name, declared) => {
  const { properties } = only('AWS::Lambda::Function', idOf(name))
  const variables = Variables.parse(properties).Environment.Variables
  const consumed = declared.consumes === undefined ? [] : [declared.consumes]

  it('has its declared memory and time-out, and a log of JSON without the lines of Lambda itself', () => {
    const log = only('AWS::Logs::LogGroup', `${idOf(name)}log`)
    const format = { LogFormat: 'JSON', SystemLogLevel: 'WARN', ApplicationLogLevel: 'TRACE' }
    expect(properties).toMatchObject({
      MemorySize: declared.memoryMb,
      Timeout: declared.timeoutSeconds,
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      LoggingConfig: { ...format, LogGroup: { Ref: log.id } },
    })
  })

  it('may start itself only by its own queue, and reserves no concurrency: a new account has none', () => {
    const isInSteps = consumed.some(queue => declared.sends.includes(queue))
    expect(properties.RecursiveLoop === 'Allow').toBe(isInSteps)
    expect(properties).not.toHaveProperty('ReservedConcurrentExecutions')
  })

  it('has the URLs and secrets that it declares, and no others', () => {
    const used = new Set([...declared.sends, ...consumed])
    const urls = [...used].map(queue => [QUEUES[queue].urlVariable, { Ref: idOfQueue(queue) }])
    const secrets = declared.secrets.map(secret => [
      `${SECRET_VARIABLES[secret]}_SECRET`,
      { Ref: only('AWS::SecretsManager::Secret', secret.toLowerCase()).id },
    ])
    const found = Object.entries(variables).filter(([variable]) => /_QUEUE_URL$|_SECRET$/.test(variable))
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries([...urls, ...secrets]))
    expect(variables.TABLE_NAME).toEqual({ Ref: only('AWS::DynamoDB::GlobalTable').id })
  })

  it('has every variable that its code reads and for which there is a default', () => {
    const code = readFileSync(join(inject('assembly'), 'functions', name, 'index.cjs'), 'utf8')
    const withDefault = Object.keys(readEnvironment({ TABLE_NAME: 't', SITE_URL: 'https://a.example' }))
    const read = withDefault.filter(variable => code.includes(`.${variable}`) && !UNUSUAL.includes(variable))
    expect(read).toContain('LOG_LEVEL')
    expect(read.filter(variable => !(variable in variables))).toEqual([])
  })

  it('has a role for Lambda alone, with its own log, its queues, the table, secrets and nothing else', () => {
    const granted = statementsOfFunction(template, name).flatMap(({ actions, resources }) =>
      actions.flatMap(action => resources.map(resource => ({ action, id: idIn(resource) ?? '' }))),
    )
    const idsFor = (actions: RegExp) =>
      new Set(granted.flatMap(({ action, id }) => (actions.test(action) ? id : [])))
    const queues = (names: QueueName[]) => new Set(names.map(idOfQueue))
    expect(idsFor(/^logs:/)).toEqual(new Set([only('AWS::Logs::LogGroup', `${idOf(name)}log`).id]))
    expect(idsFor(/^dynamodb:/)).toEqual(new Set([only('AWS::DynamoDB::GlobalTable').id]))
    expect(idsFor(/^sqs:SendMessage$/)).toEqual(queues(declared.sends))
    for (const action of [
      'ReceiveMessage',
      'DeleteMessage',
      'ChangeMessageVisibility',
      'GetQueueAttributes',
    ]) {
      expect([action, idsFor(new RegExp(`^sqs:${action}$`))]).toEqual([action, queues(consumed)])
    }
    expect(idsFor(/^(?!logs:|dynamodb:|sqs:|secretsmanager:)/)).toEqual(new Set())
    const role = only('AWS::IAM::Role', `${idOf(name)}role`)
    expect(properties.Role).toEqual(arnOf(role.id))
    expect(role.properties.AssumeRolePolicyDocument).toMatchObject({
      Statement: [{ Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } }],
    })
  })
})

describe.each(QUEUE_NAMES)('the queue %s', name => {
  const queue = only('AWS::SQS::Queue', `${name}queue`)
  const deadLetters = only('AWS::SQS::Queue', `${name}deadletters`)
  const { isFifo } = QUEUES[name]
  const [workerName = '', worker] = Object.entries(QUEUE_WORKERS).find(([, it]) => it.consumes === name) ?? []

  it('has one worker, which gets as many messages as it declares and reports those that fail', () => {
    const mappings = of('AWS::Lambda::EventSourceMapping').filter(
      ({ properties }) => idIn(properties.EventSourceArn) === queue.id,
    )
    expect(mappings.map(({ properties }) => properties)).toEqual([
      {
        FunctionName: { Ref: only('AWS::Lambda::Function', idOf(workerName)).id },
        EventSourceArn: arnOf(queue.id),
        BatchSize: worker?.batchSize,
        ScalingConfig: { MaximumConcurrency: worker?.maxConcurrency },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      },
    ])
  })

  it('hides a message for six time-outs of its worker, or one if it keeps an order, and has dead letters', () => {
    const order = isFifo ? { FifoQueue: true } : {}
    expect(queue.properties).toMatchObject({
      ...order,
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 4 * 86_400,
      VisibilityTimeout: (isFifo ? 1 : 6) * (worker?.timeoutSeconds ?? 0),
      RedrivePolicy: { maxReceiveCount: 20, deadLetterTargetArn: arnOf(deadLetters.id) },
    })
    expect(deadLetters.properties).toMatchObject({ ...order, MessageRetentionPeriod: 14 * 86_400 })
    expect([queue, deadLetters].filter(({ properties }) => properties.FifoQueue === true)).toHaveLength(
      isFifo ? 2 : 0,
    )
  })
})

describe.each(Object.entries(SCHEDULED_WORKERS))('the clock of %s', (name, { everyMinutes }) => {
  const rule = only('AWS::Events::Rule', `${name}clock`)
  const { id } = only('AWS::Lambda::Function', idOf(name))

  it('invokes it each period, does not try again, and alone may invoke it', () => {
    expect(rule.properties).toMatchObject({
      ScheduleExpression: everyMinutes === 1 ? 'rate(1 minute)' : `rate(${everyMinutes} minutes)`,
      State: 'ENABLED',
      Targets: [{ Arn: arnOf(id), RetryPolicy: { MaximumRetryAttempts: 0 } }],
    })
    const permissions = of('AWS::Lambda::Permission').filter(
      ({ properties }) => idIn(properties.FunctionName) === id,
    )
    expect(permissions.map(({ properties }) => properties)).toMatchObject([
      { Principal: 'events.amazonaws.com', Action: 'lambda:InvokeFunction', SourceArn: arnOf(rule.id) },
    ])
  })
})

describe('the gateway', () => {
  const api = only('AWS::ApiGateway::RestApi')

  it('asks the authorizer for the tier of an address, alone may invoke it, and keeps its answer', () => {
    const scheme = {
      'x-amazon-apigateway-authorizer': {
        type: 'request',
        identitySource: 'context.identity.sourceIp',
        authorizerUri: { 'Fn::Sub': expect.stringContaining(`:function:\${AWS::StackName}-authorize-tier/`) },
        authorizerResultTtlInSeconds: 3600,
      },
    }
    const securitySchemes = Object.fromEntries(TIERS.map(tier => [`${tier}-tier`, scheme]))
    expect(api.properties.Body).toMatchObject({ components: { securitySchemes } })
    const authorizer = only('AWS::Lambda::Function', 'authorizetier').id
    const permissions = of('AWS::Lambda::Permission').filter(
      ({ properties }) => idIn(properties.FunctionName) === authorizer,
    )
    expect(permissions).toMatchObject([{ properties: { Principal: 'apigateway.amazonaws.com' } }])
    expect(JSON.stringify(permissions)).toContain(`{"Ref":"${api.id}"},"/authorizers/*"`)
  })

  it.each(TIERS)('has a usage plan for the tier %s, with its key, a rate and a burst', tier => {
    const plan = only('AWS::ApiGateway::UsagePlan', `api${tier}plan`)
    expect(plan.properties).toMatchObject({
      ApiStages: [{ ApiId: { Ref: api.id }, Stage: { Ref: only('AWS::ApiGateway::Stage').id } }],
      Throttle: { RateLimit: expect.any(Number), BurstLimit: expect.any(Number) },
    })
    const keys = of('AWS::ApiGateway::UsagePlanKey').filter(
      ({ properties }) => idIn(properties.UsagePlanId) === plan.id,
    )
    expect(keys.map(({ properties }) => properties.KeyId)).toEqual([
      { Ref: only('AWS::ApiGateway::ApiKey', `${tier}key`).id },
    ])
  })
})

describe('the table', () => {
  it('has the keys that the service writes, and deletes items by their time', () => {
    expect(only('AWS::DynamoDB::GlobalTable').properties).toMatchObject({
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
    })
  })
})

describe('each secret', () => {
  it('is generated by the first deployment, long enough for a key', () => {
    const secrets = of('AWS::SecretsManager::Secret')
    expect(secrets.map(({ id }) => plain(id)).toSorted()).toEqual(
      SECRET_NAMES.map(name => name.toLowerCase()).toSorted(),
    )
    for (const { properties } of secrets) {
      expect(properties).toMatchObject({ GenerateSecretString: { PasswordLength: 64 } })
    }
  })
})
