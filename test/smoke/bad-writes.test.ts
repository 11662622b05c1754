// The writing part of the smoke test on bad releases: a write, a delivery or a deletion fails on them.
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { use } from '../world/use.ts'
import { openCloudFormation } from './cloudformation.ts'
import type { Spoilt } from './release.ts'
import { openReceiver, openWritingRelease, stepsIn } from './writing-release.ts'

const cloudFormation = use(openCloudFormation)
const receiver = use(openReceiver)

/** The code of a function that answers the requests of one method itself, with the token of the caller. */
function answeringItself(name: string, method: string, answer: object): string {
  const bundle = join(inject('assembly'), 'functions', name, 'index.cjs')
  return `
    const { handler } = require(${JSON.stringify(bundle)})
    exports.handler = async (event, context) => {
      if (event.httpMethod !== ${JSON.stringify(method)}) return await handler(event, context)
      const { statusCode, ...body } = ${JSON.stringify(answer)}
      body.message += ' ' + (event.headers.Authorization ?? event.headers.authorization)
      return { statusCode, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
    }`
}

/** The code of a function whose log of deliveries says that one failed, with the token of the caller. */
function failingInLog(): string {
  const bundle = join(inject('assembly'), 'functions/admin-webhooks/index.cjs')
  return `
    const { handler } = require(${JSON.stringify(bundle)})
    exports.handler = async (event, context) => {
      const answer = await handler(event, context)
      if (!event.path.endsWith('/deliveries')) return answer
      const detail = JSON.stringify('refused ' + (event.headers.Authorization ?? event.headers.authorization))
      const body = answer.body.replace('"status":"succeeded"', '"status":"failed"')
      return { ...answer, body: body.replace('"error_detail":null', '"error_detail":' + detail) }
    }`
}

const BAD: [string, Record<string, Spoilt>, Record<string, string>, RegExp][] = [
  [
    'that fails to write',
    {
      adminposts: {
        code: answeringItself('admin-posts', 'POST', {
          statusCode: 500,
          success: false,
          message: 'Broken for',
          errors: { code: 'INTERNAL_ERROR' },
        }),
      },
    },
    {},
    /failed\. admin-posts: write a draft: POST \/api\/v1\/admin\/posts answered 500 INTERNAL_ERROR: Broken for Bearer \[token\] \(log group adminpostslog\w+\)\./,
  ],
  [
    'that delivers nothing',
    { deliverwebhooks: { code: 'exports.handler = async () => ({ batchItemFailures: [] })' } },
    { BudgetSeconds: '10' },
    /failed\. fan-out, deliver-webhooks: deliver post\.deleted: the delivery is missing in the log when the 10 s for all steps are over \(log group fanoutlog\w+, log group deliverwebhookslog\w+\)\./,
  ],
  [
    'whose log of deliveries has the token',
    { adminwebhooks: { code: failingInLog() } },
    { Receiver: 'here' },
    /failed\. fan-out, deliver-webhooks: deliver post\.deleted: the delivery failed: refused Bearer \[token\] /,
  ],
  [
    'that deletes nothing',
    {
      adminposts: {
        code: answeringItself('admin-posts', 'DELETE', {
          statusCode: 200,
          success: true,
          message: 'Post deleted.',
          data: {},
        }),
      },
    },
    {},
    /failed\. admin-posts: read the deleted draft: GET \/api\/v1\/admin\/posts\/{id} answered 200, and not 404 \(log group adminpostslog\w+\)\./,
  ],
]

describe.each(BAD)('the smoke test of a release %s', (_, spoilt, writing, reason) => {
  const bad = use(() => openWritingRelease(cloudFormation, spoilt))

  it('fails with the step, its answer, its function and the log to read', async () => {
    const answer = await bad.test({ ...writing, ...(writing.Receiver && { Receiver: receiver.url }) })
    expect(answer).toMatchObject({ Status: 'FAILED', Reason: expect.stringMatching(reason) })
    // Once a second would be so often in the whole time that the limit of admins refuses the rest.
    expect(stepsIn(bad.lines).filter(step => step === 'read the delivery log').length).toBeLessThan(6)
  })
})
