// Checks what joins the resources of the template: variables, permissions, queues, clock, usage plans, table.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import * as z from 'zod/mini'
import { QUEUE_NAMES, QUEUES, type QueueName } from '../../shared/events/message.ts'
import { TIERS } from '../../shared/http/audience.ts'
import { readEnvironment } from '../../shared/runtime/environment.ts'
import { SECRET_NAMES, SECRET_VARIABLES } from '../../shared/runtime/parameters.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
import { idIn, idOf, plain, policiesOf, type Resource, readTemplate } from './synthesized.ts'

const assembly = inject('assembly')
const template = readTemplate(assembly)
const declared = {
  ...API_FUNCTIONS,
  ...QUEUE_WORKERS,
  ...SCHEDULED_WORKERS,
}
function consumedBy(name: string): QueueName[] {
  const queue = QUEUE_WORKERS[name]?.consumes
  return queue === undefined ? [] : [queue]
}

/** The only resource of a type with this id, without the CDK's hash and in lower case. */
function only(type: string, id: string): Resource {
  const [found, ...others] = template.of(type).filter(resource => plain(resource.id) === id)
  if (!found || others.length > 0) throw new Error(`Expected one ${type} with the id ${id}.`)
  return found
}

function idOfQueue(name: QueueName): string {
  return only('AWS::SQS::Queue', `${name}queue`).id
}

function arnOf(id: string) {
  return { 'Fn::GetAtt': [id, 'Arn'] }
}

const Variables = z.object({ Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }) })
function variablesOf(name: string): Record<string, unknown> {
  return Variables.parse(only('AWS::Lambda::Function', idOf(name)).properties).Environment.Variables
}

function list(value: unknown): unknown[] {
  return [value].flat()
}
const Statements = z.array(
  z.object({
    Action: z.pipe(z.unknown(), z.transform(list)),
    Resource: z.pipe(z.unknown(), z.transform(list)),
  }),
)
function statementsOf(name: string) {
  const own = policiesOf(template).filter(({ role }) => role === `${idOf(name)}role`)
  return own.flatMap(({ statements }) => Statements.parse(statements))
}

/** Set by the local run alone. */
const LOCAL = ['ALLOW_LOOPBACK_WEBHOOKS']
/** Set in a stage with a sender, or a date. */
const OF_A_VALUE = ['MAIL_SENDER', 'V2_SHIPPED_ON']

describe.each(Object.entries(declared))('the function %s', (name, needs) => {
  const variables = variablesOf(name)

  it('has the URLs and secrets that it declares, and no others', () => {
    const used = new Set([...needs.sends, ...consumedBy(name)])
    const urls = [...used].map(queue => [QUEUES[queue].urlVariable, { Ref: idOfQueue(queue) }])
    const secrets = needs.secrets.map(secret => [
      `${SECRET_VARIABLES[secret]}_SECRET`,
      { Ref: only('AWS::SecretsManager::Secret', secret.toLowerCase()).id },
    ])
    const found = Object.entries(variables).filter(([variable]) => /_QUEUE_URL$|_SECRET$/.test(variable))
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries([...urls, ...secrets]))
    expect(variables.TABLE_NAME).toEqual({ Ref: template.of('AWS::DynamoDB::GlobalTable')[0]?.id })
  })

  it('has every variable that its code reads and for which there is a default, and every secret', () => {
    const code = readFileSync(join(assembly, 'functions', name, 'index.cjs'), 'utf8')
    const withDefault = Object.keys(readEnvironment({ TABLE_NAME: 't', SITE_URL: 'https://a.example' }))
    const read = withDefault.filter(
      variable => code.includes(`.${variable}`) && ![...LOCAL, ...OF_A_VALUE].includes(variable),
    )
    expect(read).toContain('LOG_LEVEL')
    expect(read.filter(variable => !(variable in variables))).toEqual([])
    const required = SECRET_NAMES.filter(secret => code.includes(`,"${SECRET_VARIABLES[secret]}")`))
    expect(required.filter(secret => !needs.secrets.includes(secret))).toEqual([])
  })

  it('may send to and receive from the queues that it declares, and no others', () => {
    const statements = statementsOf(name)
    const queuesFor = (action: string) =>
      new Set(
        statements
          .filter(({ Action }) => Action.includes(`sqs:${action}`))
          .flatMap(({ Resource }) => Resource.map(idIn)),
      )
    const ids = (names: QueueName[]) => new Set(names.map(idOfQueue))
    const consumed = consumedBy(name)
    expect(queuesFor('SendMessage')).toEqual(ids(needs.sends))
    expect(queuesFor('GetQueueAttributes')).toEqual(ids(consumed))
    for (const action of ['ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility']) {
      expect([action, queuesFor(action)]).toEqual([action, ids(consumed)])
    }
  })

  it('has a role for Lambda alone, with access to the table and its own log, and to no other service', () => {
    const idsFor: Record<string, string[]> = {}
    for (const { Action, Resource } of statementsOf(name)) {
      const services = new Set(Action.map(action => String(action).split(':')[0] ?? ''))
      for (const service of services) {
        idsFor[service] = [
          ...(idsFor[service] ?? []),
          ...Resource.map(resource => plain(idIn(resource) ?? '')),
        ]
      }
    }
    const { logs, dynamodb, ...others } = idsFor
    expect(logs).toEqual([`${idOf(name)}log`])
    expect(new Set(dynamodb)).toEqual(new Set(['table']))
    expect(['secretsmanager', 'ses', 'sqs']).toEqual(expect.arrayContaining(Object.keys(others)))
    const role = only('AWS::IAM::Role', `${idOf(name)}role`)
    expect(only('AWS::Lambda::Function', idOf(name)).properties.Role).toEqual(arnOf(role.id))
    expect(role.properties.AssumeRolePolicyDocument).toMatchObject({
      Statement: [{ Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } }],
    })
  })
})

describe.each(QUEUE_NAMES)('the queue %s', name => {
  const queue = only('AWS::SQS::Queue', `${name}queue`)
  const deadLetters = only('AWS::SQS::Queue', `${name}deadletters`)

  it('has one worker, which gets as many messages as it declares and reports those that fail', () => {
    const [worker, ...others] = Object.entries(QUEUE_WORKERS).filter(([, { consumes }]) => consumes === name)
    const [mapping, ...more] = template
      .of('AWS::Lambda::EventSourceMapping')
      .filter(({ properties }) => idIn(properties.EventSourceArn) === queue.id)
    expect([others, more]).toEqual([[], []])
    const [workerName = '', { batchSize, maxConcurrency } = {}] = worker ?? []
    expect(mapping?.properties).toEqual({
      FunctionName: { Ref: only('AWS::Lambda::Function', idOf(workerName)).id },
      EventSourceArn: arnOf(queue.id),
      BatchSize: batchSize,
      ScalingConfig: { MaximumConcurrency: maxConcurrency },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    })
  })

  it('gives what fails again and again to its dead letters, which keep it longer', () => {
    expect(queue.properties.RedrivePolicy).toMatchObject({ deadLetterTargetArn: arnOf(deadLetters.id) })
    const kept = [queue, deadLetters].map(({ properties }) => Number(properties.MessageRetentionPeriod))
    expect(kept).toEqual(kept.toSorted((a, b) => a - b))
  })

  it('keeps the order of a group if it is declared so, as its dead letters must', () => {
    const { isFifo } = QUEUES[name]
    expect([queue, deadLetters].map(({ properties }) => properties.FifoQueue === true)).toEqual([
      isFifo,
      isFifo,
    ])
  })
})

describe.each(Object.entries(SCHEDULED_WORKERS))('the clock of %s', (name, { everyMinutes }) => {
  const rule = only('AWS::Events::Rule', `${name}clock`)
  const { id } = only('AWS::Lambda::Function', idOf(name))

  it('invokes it each period, and does not try again', () => {
    expect(rule.properties).toMatchObject({
      ScheduleExpression: everyMinutes === 1 ? 'rate(1 minute)' : `rate(${everyMinutes} minutes)`,
      State: 'ENABLED',
      Targets: [{ Arn: arnOf(id), RetryPolicy: { MaximumRetryAttempts: 0 } }],
    })
  })

  it('may invoke it', () => {
    const permissions = template
      .of('AWS::Lambda::Permission')
      .filter(({ properties }) => idIn(properties.FunctionName) === id)
    expect(permissions.map(({ properties }) => properties)).toMatchObject([
      { Principal: 'events.amazonaws.com', Action: 'lambda:InvokeFunction', SourceArn: arnOf(rule.id) },
    ])
  })
})

describe('the gateway', () => {
  const [api] = template.of('AWS::ApiGateway::RestApi')
  const [stage] = template.of('AWS::ApiGateway::Stage')

  it('may invoke the authorizer', () => {
    const authorizer = only('AWS::Lambda::Function', idOf('authorize-tier')).id
    const [permission, ...others] = template
      .of('AWS::Lambda::Permission')
      .filter(({ properties }) => idIn(properties.FunctionName) === authorizer)
    expect(others).toEqual([])
    expect(permission?.properties).toMatchObject({ Principal: 'apigateway.amazonaws.com' })
    expect(JSON.stringify(permission?.properties.SourceArn)).toContain(
      `{"Ref":"${api?.id}"},"/authorizers/*"`,
    )
  })

  it('asks the authorizer for the tier of an address, and keeps its answer', () => {
    const scheme = {
      'x-amazon-apigateway-authorizer': {
        type: 'request',
        identitySource: 'context.identity.sourceIp',
        authorizerUri: { 'Fn::Sub': expect.stringContaining(`:function:\${AWS::StackName}-authorize-tier/`) },
        authorizerResultTtlInSeconds: 3600,
      },
    }
    const securitySchemes = Object.fromEntries(TIERS.map(tier => [`${tier}-tier`, scheme]))
    expect(api?.properties.Body).toMatchObject({ components: { securitySchemes } })
  })

  it('takes the key of a request from the authorizer, and compresses answers', () => {
    expect(api?.properties).toMatchObject({ ApiKeySourceType: 'AUTHORIZER', MinimumCompressionSize: 1024 })
  })

  it.each(TIERS)('has a usage plan for the tier %s, with its key, a rate and a burst', tier => {
    const plan = only('AWS::ApiGateway::UsagePlan', `api${tier}plan`)
    const key = only('AWS::ApiGateway::ApiKey', `${tier}key`)
    expect(plan.properties).toMatchObject({
      ApiStages: [{ ApiId: { Ref: api?.id }, Stage: { Ref: stage?.id } }],
      Throttle: { RateLimit: expect.any(Number), BurstLimit: expect.any(Number) },
    })
    const keys = template
      .of('AWS::ApiGateway::UsagePlanKey')
      .filter(({ properties }) => idIn(properties.UsagePlanId) === plan.id)
    expect(keys.map(({ properties }) => properties.KeyId)).toEqual([{ Ref: key.id }])
  })
})

describe('the table', () => {
  it('has the keys that the service writes, and deletes items by their time', () => {
    const [table, ...others] = template.of('AWS::DynamoDB::GlobalTable')
    expect(others).toEqual([])
    expect(table?.properties).toMatchObject({
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
    const secrets = template.of('AWS::SecretsManager::Secret')
    expect(secrets.map(({ id }) => plain(id)).toSorted()).toEqual(
      SECRET_NAMES.map(name => name.toLowerCase()).toSorted(),
    )
    for (const { properties } of secrets) {
      expect(properties).toMatchObject({ GenerateSecretString: { PasswordLength: 64 } })
    }
  })
})
