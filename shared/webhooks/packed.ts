// Packs short texts for the table: as they are if they fit, else compressed. No I/O.
import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Stored bytes begin with the form. A new dictionary needs a new number. */
const PLAIN = 0
const DEFLATED = 1
/** What events and answers contain. It must not change: stored bytes refer to it. */
const DICTIONARY = Buffer.from(
  '<!DOCTYPE html><html><head><title>Error</title></head><body><h1>Not Found</h1><p>Internal Server Error' +
    '{"message":"","error":"","status":"ok"}Unauthorized Forbidden Bad Gateway Service Unavailable nginx cloudflare ' +
    'strict-transport-security: max-age=31536000; includeSubDomains\nx-content-type-options: nosniff\n' +
    'x-frame-options: SAMEORIGIN\nx-powered-by: Express\nvary: Accept-Encoding\nset-cookie: path=/; HttpOnly; Secure\n' +
    'etag: W/"\ncache-control: no-cache, no-store, must-revalidate, private\naccess-control-allow-origin: *\n' +
    'transfer-encoding: chunked\nserver: \ndate: Mon, 01 Jan 2026 00:00:00 GMT\nconnection: close\n' +
    'content-length: \ncontent-type: text/html; charset=utf-8\ncontent-type: application/json; charset=utf-8\n' +
    '{"event":"comment.created","occurred_at":"2026-01-01T00:00:00+00:00","data":{"id":,"post_id":,"slug":"","url":"https://' +
    '","parent_id":null,"status":"pending","author_name":"' +
    '{"event":"post.published","occurred_at":"2026-01-01T00:00:00+00:00","data":{"id":,"slug":"","url":"https://www.' +
    '.com/blog/","posted_at":"2026-01-01T00:00:00+00:00","title":"","content_type":"post","version":',
)

/** Compresses only what is longer than `room`, since that takes time. */
export function packBytes(bytes: Uint8Array, room: number): Uint8Array {
  if (bytes.length < room) return Buffer.concat([Buffer.of(PLAIN), bytes])
  return Buffer.concat([Buffer.of(DEFLATED), deflateRawSync(bytes, { dictionary: DICTIONARY })])
}

/** Throws for bytes that were packed by a newer version. */
export function unpackBytes(packed: Uint8Array): Uint8Array {
  const bytes = packed.subarray(1)
  if (packed[0] === PLAIN) return bytes
  if (packed[0] === DEFLATED) return inflateRawSync(bytes, { dictionary: DICTIONARY })
  throw new Error(`Bytes are packed in the unknown form ${packed[0]}. Deploy the version that wrote them.`)
}
