// Checks the synthesized stack: size and names, mail, what bounds a flood, and the API beside its document.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import * as z from 'zod/mini'
import { stackNameOf } from '../../infra/names.ts'
import { readSettings } from '../../infra/stage-settings.ts'
import { BUILDS_LIMIT } from '../../shared/http/audience.ts'
import { DOMAIN, EVERY_VALUE, synthesize } from './synthesize.ts'
import { idIn, readTemplate, type Template } from './template.ts'

const MAX_RESOURCES = 150
const MAX_BYTES = 400_000

const template = readTemplate()

const Policy = z.object({
  PolicyDocument: z.object({
    Statement: z.array(z.looseObject({ Effect: z.string(), Resource: z.unknown() })),
  }),
})

/** What the policy of a topic or a queue allows. */
function allowedBy({ of }: Template, type: string, id: string) {
  return of(type)
    .flatMap(({ properties }) => Policy.parse(properties).PolicyDocument.Statement)
    .filter(({ Effect, Resource }) => Effect === 'Allow' && idIn(Resource) === id)
}

describe('the stack', () => {
  it(`has at most ${MAX_RESOURCES} resources and ${MAX_BYTES / 1000} kB of template, with every value`, () => {
    const { resources, text } = synthesize(EVERY_VALUE)
    console.log(
      `The stack: ${template.resources.length} to ${resources.length} resources, ${text.length} bytes.`,
    )
    expect(resources.length).toBeLessThanOrEqual(MAX_RESOURCES)
    expect(text.length).toBeLessThan(MAX_BYTES)
  })

  it('has nothing of SES without a sender, of budgets, keys or alarms without values', () => {
    expect(template.text).not.toMatch(/AWS::(SES|SNS|Budgets|KMS|CloudWatch|WAFv2|CodeDeploy|Backup)::/)
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

  it('gives functions names that fit into the 64 characters of AWS in the stage with the longest name', () => {
    const stage = 'x'.repeat(32)
    expect(() => readSettings(name => (name === 'stage' ? `${stage}x` : undefined))).toThrow('32')
    const Name = z.object({ 'Fn::Sub': z.string() })
    for (const { properties } of template.of('AWS::Lambda::Function')) {
      const name = Name.parse(properties.FunctionName)['Fn::Sub']
      expect(name.replace(`\${AWS::StackName}`, stackNameOf(stage)).length).toBeLessThanOrEqual(64)
    }
  })

  it('has no cdk-nag finding without a reason', () => {
    const Reason = z.object({ reason: z.string().check(z.minLength(20)) })
    const Report = z.object({
      violations: z.array(z.unknown()).check(z.maxLength(0)),
      suppressedViolations: z.optional(z.array(Reason)),
    })
    const Reports = z.object({ pluginReports: z.array(Report).check(z.minLength(1)) })
    Reports.parse(JSON.parse(readFileSync(join(inject('assembly'), 'validation-report.json'), 'utf8')))
  })
})

describe('the mail of a stage with a sender', () => {
  const mailing = synthesize({ mailSender: 'content@example.com' })
  const rules = mailing.only('AWS::SES::ConfigurationSet')

  it('leaves by a configuration set that suppresses addresses that bounced or complained, from one function', () => {
    expect(rules.properties).toEqual({ SuppressionOptions: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] } })
    const sending = mailing
      .of('AWS::Lambda::Function')
      .filter(({ properties }) => JSON.stringify(properties).includes('"MAIL_SENDER"'))
    expect(sending).toMatchObject([
      { properties: { Environment: { Variables: { MAIL_CONFIGURATION_SET: { Ref: rules.id } } } } },
    ])
  })

  it('comes back to the queue of jobs if it bounces, and nothing else writes to its topic and queue', () => {
    const { properties } = mailing.only('AWS::SES::ConfigurationSetEventDestination')
    expect(properties).toMatchObject({
      ConfigurationSetName: { Ref: rules.id },
      EventDestination: { Enabled: true, MatchingEventTypes: ['bounce', 'complaint'] },
    })
    const topic = idIn(properties.EventDestination) ?? ''
    const queue = mailing.only('AWS::SQS::Queue', 'jobsqueue').id
    expect(mailing.only('AWS::SNS::Subscription').properties).toEqual({
      TopicArn: { Ref: topic },
      Protocol: 'sqs',
      Endpoint: { 'Fn::GetAtt': [queue, 'Arn'] },
    })
    const mayPublish = allowedBy(mailing, 'AWS::SNS::TopicPolicy', topic)
    expect(mayPublish).toMatchObject([
      {
        Principal: { Service: 'ses.amazonaws.com' },
        Action: 'sns:Publish',
        Condition: { StringEquals: { 'AWS:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
    ])
    expect(JSON.stringify(mayPublish)).toContain(`:configuration-set/",{"Ref":"${rules.id}"}]]}`)
    expect(allowedBy(mailing, 'AWS::SQS::QueuePolicy', queue)).toMatchObject([
      {
        Principal: { Service: 'sns.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Condition: { ArnEquals: { 'aws:SourceArn': { Ref: topic } } },
      },
    ])
  })
})

const Acl = z.object({
  DefaultAction: z.strictObject({ Allow: z.object({}) }),
  Rules: z.tuple([
    z.object({
      Action: z.strictObject({ Block: z.strictObject({}) }),
      Statement: z.object({
        RateBasedStatement: z.strictObject({
          AggregateKeyType: z.literal('IP'),
          EvaluationWindowSec: z.literal(60),
          Limit: z.number().check(z.minimum(2 * BUILDS_LIMIT.perMinute)),
        }),
      }),
    }),
  ]),
})

describe('the shield of a stage', () => {
  it('is a rule in front of the API, which lets two builds from one address pass', () => {
    const { only } = synthesize({ shield: 'true' })
    const { id, properties } = only('AWS::WAFv2::WebACL')
    expect(() => Acl.parse(properties)).not.toThrow()
    expect(only('AWS::WAFv2::WebACLAssociation').properties.WebACLArn).toEqual({ 'Fn::GetAtt': [id, 'Arn'] })
  })
})

describe('the ceiling of the table', () => {
  it('bounds the units of the table', () => {
    const { only } = synthesize({ maxReadRequestUnits: '500', maxWriteRequestUnits: '200' })
    expect(only('AWS::DynamoDB::GlobalTable').properties).toMatchObject({
      WriteOnDemandThroughputSettings: { MaxWriteRequestUnits: 200 },
      Replicas: [{ ReadOnDemandThroughputSettings: { MaxReadRequestUnits: 500 } }],
    })
  })
})

describe('the API', () => {
  it('has the same values beside its document and in it', () => {
    const Api = z.looseObject({ Body: z.looseObject({}) })
    const own = synthesize(DOMAIN)
    for (const { only } of [template, own]) {
      const { Body, ...properties } = Api.parse(only('AWS::ApiGateway::RestApi').properties)
      expect(properties).toMatchObject({
        ApiKeySourceType: 'AUTHORIZER',
        MinimumCompressionSize: 1024,
        SecurityPolicy: 'SecurityPolicy_TLS13_1_2_2021_06',
        BinaryMediaTypes: ['*/*'],
        DisableExecuteApiEndpoint: only === own.only,
      })
      const within: [extension: string, value: unknown][] = [
        ['api-key-source', properties.ApiKeySourceType],
        ['minimum-compression-size', properties.MinimumCompressionSize],
        ['security-policy', properties.SecurityPolicy],
        ['endpoint-access-mode', properties.EndpointAccessMode],
        ['binary-media-types', properties.BinaryMediaTypes],
        ['endpoint-configuration', { disableExecuteApiEndpoint: properties.DisableExecuteApiEndpoint }],
      ]
      for (const [name, value] of within) {
        expect([name, Body[`x-amazon-apigateway-${name}`]]).toEqual([name, value])
      }
    }
    expect(own.only('AWS::ApiGateway::DomainName').properties.SecurityPolicy).toBe(
      'SecurityPolicy_TLS13_1_2_2021_06',
    )
  })
})
