// The endpoint of a batch: many writes of posts, pages and categories in one request.
import * as z from 'zod/mini'
import { endpoint, group } from '../http/endpoint.ts'
import { arrayOf, members, optional } from '../http/members.ts'
import { success } from '../http/reply.ts'
import { wellFormed } from '../http/text.ts'

const MAX_OPERATIONS = 25
/** After this time no operation is started, well before the 29 s that the gateway waits. */
export const LAST_START_SECONDS = 20

/** As long as a header may be. */
const IfMatch = wellFormed.check(z.maxLength(8_000, 'Must be at most 8,000 characters.'))

const Operation = members(
  {
    method: [z.enum(['POST', 'PATCH', 'DELETE'], 'Must be POST, PATCH or DELETE.'), 'Method of the request.'],
    path: [
      wellFormed,
      `Path of the request, with or without \`/api/v1\`: of an endpoint that creates, changes, deletes, publishes or
        unpublishes a post, a page or a category.`,
    ],
    body: [z.optional(z.unknown().check(z.meta({ type: 'object' }))), 'Body of the request.'],
    if_match: [z.optional(IfMatch), 'The header `If-Match` of the request, at most 8,000 characters.'],
  },
  'Must be an object.',
)
export type Operation = z.output<typeof Operation>

const BatchInput = members({
  operations: [
    arrayOf(Operation, {
      not: 'Must be an array of operations.',
      empty: 'Must have at least one operation.',
      max: MAX_OPERATIONS,
      tooLong: `Must have at most ${MAX_OPERATIONS} operations.`,
    }),
    `1 to ${MAX_OPERATIONS} requests, which are made one after the other.`,
  ],
})

const Envelope = z.record(z.string(), z.unknown()).check(z.meta({ additionalProperties: undefined }))

const Result = members({
  status: [z.int(), 'Status of the answer to this operation.'],
  headers: [
    z.optional(
      members(
        optional({
          etag: [z.string(), 'The new `ETag` of the record.'],
          'retry-after': [z.string(), 'Seconds to wait before this operation is sent again.'],
          'idempotent-replayed': [z.string(), '`true` if the operation was done by an earlier request.'],
        }),
      ),
    ),
    'Headers of the answer, if it has one of these.',
  ],
  body: [Envelope, 'The envelope that the request alone would get.'],
})
export type Result = z.output<typeof Result>

export const adminBatch = group(
  { admin: 'Make many writes in one request. Needs the ability `admin`.' },
  () => ({
    runBatch: endpoint({
      method: 'POST',
      path: '/api/v1/admin/batch',
      isBatch: true,
      summary: 'Make up to 25 writes of posts, pages and categories',
      description: `Each operation is the request of its own that it names, with its own transaction, in order; one that
          fails stops none, so look at each \`status\`. The batch counts once against the limit. With an \`Idempotency-Key\`, each
          operation is idempotent by the key and its position: the same batch again does what was not done. Operations that
          cannot start within ${LAST_START_SECONDS} seconds get a 503 with \`retry-after\`, and so do those after one that an earlier request
          is still doing, a 409 with \`retry-after\`: send the same batch again. If the answers together would be larger than
          5.9 MB, posts come without their \`body\`. The header \`X-Batch-Id\` is the id of the request; the
          events of operation \`n\`, counted from 0, carry \`<id>.<n>\` as \`X-Request-Id\`.`,
      message: 'Batch done.',
      body: BatchInput,
      data: z.array(Result),
      example: {
        body: {
          operations: [
            { method: 'POST', path: '/api/v1/admin/categories', body: { name: 'Events' } },
            { method: 'DELETE', path: '/api/v1/admin/categories/999', if_match: '*' },
          ],
        },
        data: [
          {
            status: 201,
            headers: { etag: '"1.q3jKbQ2VNfS0dXyzq3jKbQ2VNfS"' },
            body: success('Category created.', {
              ...{ id: 3, name: 'Events', slug: 'events', description: '', posts_count: 0 },
            }),
          },
          {
            status: 404,
            body: { success: false, message: 'Category not found.', errors: { code: 'NOT_FOUND' } },
          },
        ],
      },
    }),
  }),
)
