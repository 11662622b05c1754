// Packs the answer of an idempotent request: compressed, encrypted if it may be secret, in parts if large.
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import * as z from 'zod/mini'
import { currentKey, slotsIn, UnknownKey } from '../aws/secret-value.ts'
import type { Reply } from '../http/reply.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { withKnownKeys } from '../runtime/secrets.ts'
import { BlobRef, findBlob, saveBlob } from '../table/blob.ts'
import type { Key } from '../table/key.ts'
import { openBytes, sealBytes } from '../table/sealed.ts'
import { bodyOf } from './answer-body.ts'
import type { RequestContext, WithRoute } from './request-context.ts'

export const KeptAnswer = z.object({
  status: z.int(),
  etag: z.optional(z.string()),
  body: z.optional(z.instanceof(Uint8Array)),
  blob: z.optional(BlobRef),
})
export type KeptAnswer = z.infer<typeof KeptAnswer>

const LARGEST_INLINE_BYTES = 300_000
/** The parts of a large answer outlive the record that refers to them. */
const SPARE_MS = 60_000

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** Packs an answer for the record under `Key`. The parts of a large one are written immediately. */
export async function packAnswer(
  { route, runtime }: RequestContext & WithRoute,
  reply: Reply,
  Key: Key,
  untilMs: number,
) {
  const { json, etag } = bodyOf(route.endpoint, reply)
  const compressed = await compress(json, QUICK)
  const value = runtime.environment.WEBHOOK_KEY
  const bytes = value === undefined ? compressed : sealBytes(compressed, lockOf(currentKey(value).key, Key))
  return {
    status: route.endpoint.status,
    ...(etag && { etag }),
    ...(bytes.length <= LARGEST_INLINE_BYTES
      ? { body: bytes }
      : { blob: await saveBlob(runtime.table, bytes, untilMs + SPARE_MS) }),
  }
}

/** Returns the answer exactly as it was packed. Throws if its parts are missing. */
export async function unpackAnswer(runtime: Runtime, { status, etag, body, blob }: KeptAnswer, Key: Key) {
  const bytes = blob ? await findBlob(runtime.table, blob) : body
  if (!bytes) throw new Error('The parts of a kept answer are missing.')
  const compressed = await withKnownKeys(runtime, async () => openAnswer(runtime, bytes, Key))
  return { status, etag, body: (await decompress(compressed)).toString('utf8') }
}

/** A function that has the webhook key may answer with a webhook secret, so its answers are encrypted. */
function openAnswer({ environment: { WEBHOOK_KEY: value } }: Runtime, bytes: Uint8Array, Key: Key) {
  if (value === undefined) return bytes
  const { current, previous } = slotsIn(value)
  let failure: unknown
  for (const { key } of previous ? [current, previous] : [current]) {
    try {
      return openBytes(bytes, lockOf(key, Key))
    } catch (error) {
      failure = error
    }
  }
  throw new UnknownKey(new Error('A kept answer was sealed with an unknown key.', { cause: failure }))
}

function lockOf(key: string, { pk }: Key) {
  return { key, use: 'kept answer', place: pk }
}
