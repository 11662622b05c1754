// A minimal stack in the format of `cdk synth`: one route, one table, one queue, one schedule.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

function getAtt(id: string, name: string) {
  return { 'Fn::GetAtt': [id, name] }
}

export const TABLE = {
  Type: 'AWS::DynamoDB::GlobalTable',
  Properties: {
    AttributeDefinitions: ['pk', 'sk', 'gsi1pk', 'gsi1sk'].map(name => ({
      AttributeName: name,
      AttributeType: 'S',
    })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'gsi1',
        KeySchema: [
          { AttributeName: 'gsi1pk', KeyType: 'HASH' },
          { AttributeName: 'gsi1sk', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
    BillingMode: 'PAY_PER_REQUEST',
    TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    Replicas: [{ Region: { Ref: 'AWS::Region' } }],
  },
}

export const QUEUES = {
  WorkQueue0A1B2C3D: {
    Type: 'AWS::SQS::Queue',
    Properties: {
      // Longer than a function takes on a busy machine; otherwise a message would be processed twice.
      VisibilityTimeout: 3,
      SqsManagedSseEnabled: true,
      RedrivePolicy: { deadLetterTargetArn: getAtt('WorkDeadLetters4E5F6A7B', 'Arn'), maxReceiveCount: 2 },
    },
  },
  WorkDeadLetters4E5F6A7B: { Type: 'AWS::SQS::Queue', Properties: { MessageRetentionPeriod: 1_209_600 } },
}

/** Answers requests with the list of its calls. Fails for the message `fail`. */
const HANDLER_SOURCE = `
import { appendFileSync, readFileSync } from 'node:fs'
const file = process.env.CALLS_FILE
export async function handler(event) {
  if (event.httpMethod) {
    const calls = readFileSync(file, 'utf8').trim().split('\\n').filter(Boolean)
    const body = JSON.stringify({ calls, table: process.env.TABLE, queue: process.env.QUEUE_URL, key: process.env.KEY, site: process.env.SITE, ses: process.env.AWS_ENDPOINT_URL_SESV2 })
    return { statusCode: 200, headers: { 'content-type': 'application/json' }, body }
  }
  const failed = []
  for (const { body, messageId } of event.Records ?? [{ body: 'tick' }]) {
    appendFileSync(file, body + '\\n')
    if (body === 'fail') failed.push({ itemIdentifier: messageId })
  }
  return { batchItemFailures: failed }
}
`

function resources(callsFile: string) {
  return {
    Content1234ABCD: TABLE,
    ...QUEUES,
    Key5678ABCD: { Type: 'AWS::SecretsManager::Secret', Properties: { GenerateSecretString: {} } },
    Everything9ABC0DEF: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Code: { S3Bucket: 'assets', S3Key: 'everything.zip' },
        Handler: 'index.handler',
        Timeout: 5,
        Role: getAtt('EverythingRole', 'Arn'),
        Environment: {
          Variables: {
            CALLS_FILE: callsFile,
            TABLE: { Ref: 'Content1234ABCD' },
            QUEUE_URL: { Ref: 'WorkQueue0A1B2C3D' },
            KEY: {
              'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: 'Key5678ABCD' }, ':SecretString:::}}']],
            },
            SITE: { Ref: 'SiteUrl' },
          },
        },
      },
    },
    EverythingRole: { Type: 'AWS::IAM::Role', Properties: {} },
    EverythingPolicy: {
      Type: 'AWS::IAM::Policy',
      Properties: {
        Roles: [{ Ref: 'EverythingRole' }],
        PolicyDocument: {
          Statement: [
            {
              Effect: 'Allow',
              Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
              Resource: getAtt('WorkQueue0A1B2C3D', 'Arn'),
            },
          ],
        },
      },
    },
    WorkMapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: getAtt('WorkQueue0A1B2C3D', 'Arn'),
        FunctionName: { Ref: 'Everything9ABC0DEF' },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 2 },
      },
    },
    Tick0123ABCD: {
      Type: 'AWS::Scheduler::Schedule',
      Properties: {
        ScheduleExpression: 'rate(1 minute)',
        FlexibleTimeWindow: { Mode: 'OFF' },
        Target: { Arn: getAtt('Everything9ABC0DEF', 'Arn'), RoleArn: getAtt('SomeRole', 'Arn') },
      },
    },
    Api: {
      Type: 'AWS::ApiGateway::RestApi',
      Properties: {
        Name: 'small',
        Body: {
          paths: {
            '/calls': {
              get: {
                'x-amazon-apigateway-integration': {
                  type: 'aws_proxy',
                  uri: { 'Fn::Join': ['', [getAtt('Everything9ABC0DEF', 'Arn'), '/invocations']] },
                },
              },
            },
          },
        },
      },
    },
  }
}

/** Writes the cloud assembly to a new folder. The caller removes `folder`. */
export async function writeSmallStack(): Promise<{ assembly: string; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'small-stack-'))
  const assembly = join(folder, 'assembly')
  const callsFile = join(folder, 'calls')
  await mkdir(join(assembly, 'asset.everything'), { recursive: true })
  await writeFile(callsFile, '')
  await writeFile(join(assembly, 'asset.everything', 'index.mjs'), HANDLER_SOURCE)
  const parameters = Object.fromEntries(
    ['SiteUrl', 'MailSender'].map(name => [name, { Type: 'String', Default: '' }]),
  )
  const template = { Parameters: parameters, Resources: resources(callsFile) }
  await writeFile(join(assembly, 'Small.template.json'), JSON.stringify(template))
  const asset = {
    source: { path: 'asset.everything', packaging: 'zip' },
    destinations: { here: { bucketName: 'assets', objectKey: 'everything.zip' } },
  }
  await writeFile(join(assembly, 'Small.assets.json'), JSON.stringify({ files: { everything: asset } }))
  return { assembly, folder }
}
