// Calls the real functions in this process, with the runtime of the current test.

import type { SQSBatchResponse } from 'aws-lambda'
import * as z from 'zod/mini'
import { handler as adminHandler } from '../../functions/admin.ts'
import { handler as deliverWebhooks } from '../../functions/deliver-webhooks.ts'
import { handler as fanOut } from '../../functions/fan-out.ts'
import { handler as indexSearch } from '../../functions/index-search.ts'
import { handler as jobs } from '../../functions/jobs.ts'
import { handler as publicHandler } from '../../functions/public.ts'
import { handler as sweep } from '../../functions/sweep.ts'
import { adminBatch } from '../../shared/batch/contract.ts'
import type { QueueName } from '../../shared/events/message.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import type { QueueEvent } from '../../shared/lambda/consume.ts'
import { type CallOptions, pathOf } from '../support/call.ts'
import { lambdaContext, proxyEventOf } from '../support/proxy-event.ts'

export { sweep }
export const WORKERS: Record<QueueName, (event: QueueEvent) => Promise<SQSBatchResponse>> = {
  events: fanOut,
  jobs,
  index: indexSearch,
  deliveries: deliverWebhooks,
}

const HANDLERS = { public: publicHandler, user: undefined, admin: adminHandler }
const Pagination = z.record(z.string(), z.int())
const Cursor = z.object({ next: z.nullable(z.string()), more: z._default(z.boolean(), false) })
const Answer = z.object({
  data: z.optional(z.unknown()),
  pagination: z.optional(Pagination),
  cursor: z.optional(Cursor),
  errors: z.optional(z.object({ code: z.string() })),
})
export type CallInput = Pick<CallOptions, 'params' | 'query' | 'body'>

export type CallResult<Data extends z.ZodMiniType> = {
  status: number
  pagination: z.output<typeof Pagination> | undefined
  cursor?: z.output<typeof Cursor> | undefined
  /** Throws if the answer is an error. */
  read: () => z.output<Data>
}

/** Sends one request to the function of the endpoint. */
export async function callFunction<Data extends z.ZodMiniType>(
  endpoint: Endpoint<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType, Data>,
  input: CallInput,
  token: string,
): Promise<CallResult<Data>> {
  const handler = HANDLERS[endpoint.audience]
  if (!handler) throw new Error(`No function serves ${endpoint.method} ${endpoint.path}.`)
  const { statusCode, body } = await handler(proxyEventOf(endpoint, { ...input, token }), lambdaContext())
  return resultOf(endpoint, statusCode, JSON.parse(body))
}

const BatchAnswer = z.object({ data: z.array(z.object({ status: z.int(), body: z.unknown() })) })

/** The same as the one operation of a batch. */
export async function callInBatch<Data extends z.ZodMiniType>(
  endpoint: Endpoint<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType, Data>,
  { params = {}, body }: CallInput,
  token: string,
): Promise<CallResult<Data>> {
  const operations = [{ method: endpoint.method, path: pathOf(endpoint, { params }), body }]
  const event = proxyEventOf(adminBatch.runBatch, { body: { operations }, token })
  const answer = BatchAnswer.parse(JSON.parse((await adminHandler(event, lambdaContext())).body))
  const [result = { status: 0, body: {} }] = answer.data
  return resultOf(endpoint, result.status, result.body)
}

function resultOf<Data extends z.ZodMiniType>(
  endpoint: Endpoint<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType, Data>,
  status: number,
  answer: unknown,
): CallResult<Data> {
  const { data, pagination, cursor, errors } = Answer.parse(answer)
  const read = () => {
    if (errors) throw new Error(`${endpoint.method} ${endpoint.path}: ${status} ${JSON.stringify(answer)}`)
    return endpoint.data.parse(data)
  }
  return { status, pagination, cursor, read }
}
