// Checks the synthesized stack: its size and the properties of its resources.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import * as z from 'zod/mini'
import { stackNameOf } from '../../infra/names.ts'
import { readSettings } from '../../infra/settings.ts'
import { QUEUES } from '../../shared/events/message.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
import { idIn, idOf, plain, readTemplate } from './synthesized.ts'
import { synthesizeHere } from './synthesized-here.ts'

const DOMAIN = { domain: 'content.example', certificate: 'arn:aws:acm:us-east-1:0:certificate/1' }
const EVERY_VALUE = {
  ...DOMAIN,
  ...{ alarmEmail: 'owner@example.com', monthlyBudgetUsd: '50', mailSender: 'content@example.com' },
  ...{ backupDays: '365', traffic: 'canary', tracing: 'true', shield: 'true' },
}
const MAX_RESOURCES = 150
const MAX_BYTES = 400_000

const assembly = inject('assembly')
const template = readTemplate(assembly)
const mailing = readTemplate(synthesizeHere({ context: { mailSender: 'content@example.com' } }).outdir)

const functions = template.of('AWS::Lambda::Function')
const declared = Object.entries({ ...API_FUNCTIONS, ...QUEUE_WORKERS, ...SCHEDULED_WORKERS })

const Policy = z.object({
  PolicyDocument: z.object({
    Statement: z.array(z.looseObject({ Effect: z.string(), Resource: z.unknown() })),
  }),
})

/** What the policy of a topic or a queue allows. */
function allowedBy(type: string, id: string) {
  return mailing
    .of(type)
    .flatMap(({ properties }) => Policy.parse(properties).PolicyDocument.Statement)
    .filter(({ Effect, Resource }) => Effect === 'Allow' && idIn(Resource) === id)
}

/** The name of a function in the stage with the longest name that is allowed. */
function nameOf(name: unknown): string {
  const pattern = z.object({ 'Fn::Sub': z.string() }).parse(name)['Fn::Sub']
  const stage = 'x'.repeat(32)
  expect(() => readSettings(name => (name === 'stage' ? `${stage}x` : undefined))).toThrow('32')
  return pattern.replace('$' + '{AWS::StackName}', stackNameOf(stage))
}

describe('the stack', () => {
  it(`has at most ${MAX_RESOURCES} resources and ${MAX_BYTES / 1000} kB of template, with every value`, () => {
    const { outdir } = synthesizeHere({ context: EVERY_VALUE })
    const { resources, text } = readTemplate(outdir)
    console.log(
      `The stack: ${template.resources.length} to ${resources.length} resources, ${text.length} bytes.`,
    )
    expect(resources.length).toBeLessThanOrEqual(MAX_RESOURCES)
    expect(text.length).toBeLessThan(MAX_BYTES)
  })

  it('gives each function its declared memory and time-out, and a log kept for 30 days', () => {
    const found = new Map(functions.map(({ id, properties }) => [plain(id), properties]))
    // The other two are the authorizer of the tiers and the check of a release.
    expect(found.size).toBe(declared.length + 2)
    for (const [name, { memoryMb, timeoutSeconds }] of declared) {
      expect(found.get(idOf(name))).toMatchObject({
        MemorySize: memoryMb,
        Timeout: timeoutSeconds,
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
      })
    }
    const logs = template.of('AWS::Logs::LogGroup').map(({ properties }) => properties.RetentionInDays)
    expect(logs).toEqual(Array(functions.length + 1).fill(30))
  })

  it('reserves no concurrency, because a new account has none to reserve', () => {
    expect(functions.filter(({ properties }) => 'ReservedConcurrentExecutions' in properties)).toEqual([])
  })

  it('gives the alias of each function one permission for the whole API', () => {
    const invoked = template
      .of('AWS::Lambda::Permission')
      .filter(({ properties }) => /"\/\*\/\*\/\*"/.test(JSON.stringify(properties.SourceArn)))
      .map(({ properties }) => plain(idIn(properties.FunctionName) ?? ''))
    expect(invoked.sort()).toEqual(
      Object.keys(API_FUNCTIONS)
        .map(name => `${idOf(name)}live`)
        .sort(),
    )
  })

  it('gives each queue a visibility time-out of six worker time-outs, or one in a FIFO queue, and dead letters', () => {
    for (const worker of Object.values(QUEUE_WORKERS)) {
      const queue = mailing.of('AWS::SQS::Queue').find(({ id }) => plain(id) === `${worker.consumes}queue`)
      expect(queue?.properties).toMatchObject({
        SqsManagedSseEnabled: true,
        MessageRetentionPeriod: 4 * 86_400,
        VisibilityTimeout: (QUEUES[worker.consumes].isFifo ? 1 : 6) * worker.timeoutSeconds,
        RedrivePolicy: { maxReceiveCount: 20 },
      })
    }
  })

  it('sends mail by a configuration set that suppresses bounced and complaining addresses', () => {
    const rules = mailing.of('AWS::SES::ConfigurationSet')
    expect(rules.map(({ properties }) => properties)).toEqual([
      { SuppressionOptions: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] } },
    ])
    const WithMailSender = z.object({
      Environment: z.object({ Variables: z.looseObject({ MAIL_SENDER: z.unknown() }) }),
    })
    const sending = mailing
      .of('AWS::Lambda::Function')
      .filter(({ properties }) => WithMailSender.safeParse(properties).success)
    const declaredSenders = declared.flatMap(([name, { sendsMail }]) => (sendsMail ? idOf(name) : []))
    expect(sending.map(({ id }) => plain(id))).toEqual(declaredSenders)
    expect(JSON.stringify(sending)).toContain(`"MAIL_CONFIGURATION_SET":{"Ref":"${rules[0]?.id}"}`)
  })

  it('gives bounces and complaints back to their queue, and lets nothing else write to topic and queue', () => {
    const [rules] = mailing.of('AWS::SES::ConfigurationSet')
    const [destination, ...others] = mailing.of('AWS::SES::ConfigurationSetEventDestination')
    expect(others).toEqual([])
    expect(destination?.properties).toMatchObject({
      ConfigurationSetName: { Ref: rules?.id },
      EventDestination: { Enabled: true, MatchingEventTypes: ['bounce', 'complaint'] },
    })
    const topic = idIn(destination?.properties.EventDestination) ?? ''
    const queue = mailing.of('AWS::SQS::Queue').find(({ id }) => plain(id) === 'jobsqueue')?.id
    const subscription = mailing
      .of('AWS::SNS::Subscription')
      .find(({ properties }) => idIn(properties.TopicArn) === topic)
    expect(subscription?.properties).toEqual({
      TopicArn: { Ref: topic },
      Protocol: 'sqs',
      Endpoint: { 'Fn::GetAtt': [queue, 'Arn'] },
    })
    const rulesArn = `:configuration-set/",{"Ref":"${rules?.id}"}]]}`
    const mayPublish = allowedBy('AWS::SNS::TopicPolicy', topic)
    expect(mayPublish).toMatchObject([
      {
        Principal: { Service: 'ses.amazonaws.com' },
        Action: 'sns:Publish',
        Condition: { StringEquals: { 'AWS:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
    ])
    expect(JSON.stringify(mayPublish)).toContain(rulesArn)
    expect(allowedBy('AWS::SQS::QueuePolicy', queue ?? '')).toMatchObject([
      {
        Principal: { Service: 'sns.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Condition: { ArnEquals: { 'aws:SourceArn': { Ref: topic } } },
      },
    ])
  })

  it('has nothing of SES without a sender, of budgets, keys or alarms without values', () => {
    expect(template.text).not.toMatch(/AWS::(SES|SNS|Budgets|KMS|CloudWatch|WAFv2|CodeDeploy|Backup)::/)
  })

  it('says to API Gateway the same beside its document and in it', () => {
    const [api] = template.of('AWS::ApiGateway::RestApi')
    const body = z.looseObject({}).parse(api?.properties.Body)
    const extension = (name: string) => body[`x-amazon-apigateway-${name}`]
    expect(api?.properties).toMatchObject({
      ApiKeySourceType: extension('api-key-source'),
      MinimumCompressionSize: extension('minimum-compression-size'),
      SecurityPolicy: extension('security-policy'),
      EndpointAccessMode: extension('endpoint-access-mode'),
      BinaryMediaTypes: extension('binary-media-types'),
    })
    expect(extension('api-key-source')).toBe('AUTHORIZER')
    const own = readTemplate(synthesizeHere({ context: DOMAIN }).outdir)
    const [ownApi] = own.of('AWS::ApiGateway::RestApi')
    expect(ownApi?.properties).toMatchObject({
      DisableExecuteApiEndpoint: true,
      Body: { 'x-amazon-apigateway-endpoint-configuration': { disableExecuteApiEndpoint: true } },
    })
    const [domain] = own.of('AWS::ApiGateway::DomainName')
    expect(domain?.properties.SecurityPolicy).toBe(extension('security-policy'))
  })

  it('has logs of JSON without the lines of Lambda itself, under exact names', () => {
    const names = template
      .of('AWS::Logs::LogGroup')
      .map(({ properties }) => JSON.stringify(properties.LogGroupName))
    for (const name of ['access', ...declared.map(([name]) => name)]) {
      expect(names).toContain(`{"Fn::Join":["/",[{"Ref":"AWS::StackName"},"${name}"]]}`)
    }
    for (const { properties } of functions) {
      expect(properties.LoggingConfig).toMatchObject({
        LogFormat: 'JSON',
        SystemLogLevel: 'WARN',
        ApplicationLogLevel: 'TRACE',
      })
    }
  })

  it('allows recursion for workers that send messages to their own queue', () => {
    const recursive = functions
      .filter(({ properties }) => properties.RecursiveLoop === 'Allow')
      .map(({ id }) => plain(id))
    const inSteps = Object.entries(QUEUE_WORKERS).filter(([, { sends, consumes }]) =>
      sends.includes(consumes),
    )
    expect(recursive.sort()).toEqual(inSteps.map(([name]) => idOf(name)).sort())
  })

  it('bundles the authorizer without the SDK', () => {
    const Bundles = z.object({
      outputs: z.record(z.string(), z.object({ inputs: z.record(z.string(), z.unknown()) })),
    })
    const { outputs } = Bundles.parse(JSON.parse(readFileSync(join(assembly, 'functions/meta.json'), 'utf8')))
    const [, bundle] =
      Object.entries(outputs).find(([file]) => file.endsWith('/authorize-tier/index.cjs')) ?? []
    expect(Object.keys(bundle?.inputs ?? {})).toContain('functions/authorize-tier.ts')
    expect(Object.keys(bundle?.inputs ?? {}).filter(file => /@aws-sdk|@smithy/.test(file))).toEqual([])
  })

  it('gives no fixed name to a resource whose name must be unique in an account', () => {
    const names = ['TableName', 'QueueName', 'FunctionName', 'RoleName', 'LogGroupName', 'UsagePlanName']
    const named = template.resources.filter(
      ({ type, properties }) =>
        // The name of an alias is unique in its function.
        type !== 'AWS::Lambda::Alias' &&
        (names.some(name => typeof properties[name] === 'string') || typeof properties.Name === 'string'),
    )
    expect(named).toEqual([])
  })

  it('gives functions names that fit into the 64 characters of AWS in every stage', () => {
    const longest = Math.max(...functions.map(({ properties }) => nameOf(properties.FunctionName).length))
    expect(longest).toBeLessThanOrEqual(64)
  })

  it('has no cdk-nag finding without a reason', () => {
    const Report = z.object({
      pluginReports: z.array(
        z.object({
          violations: z.array(z.unknown()),
          suppressedViolations: z._default(
            z.array(z.object({ reason: z.string().check(z.minLength(20)) })),
            [],
          ),
        }),
      ),
    })
    const text = readFileSync(join(assembly, 'validation-report.json'), 'utf8')
    const { pluginReports } = Report.parse(JSON.parse(text))
    expect(pluginReports.length).toBeGreaterThan(0)
    for (const { violations } of pluginReports) expect(violations).toEqual([])
  })
})
