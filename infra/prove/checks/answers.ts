// What the gateway does to answers of functions: HEAD, and compression.
import { gunzipSync } from 'node:zlib'
import { type Check, heldUnless } from '../check.ts'

export const HEAD_CHECK: Check = {
  name: 'HEAD without a body',
  did: 'GET and HEAD /api/v1/categories.',
  expected: 'The status and the ETag of the GET, and no body.',
  run: async stage => {
    const get = await stage.ask('GET', '/api/v1/categories')
    const head = await stage.ask('HEAD', '/api/v1/categories')
    const wrong = [
      ...(head.status === get.status ? [] : [`GET answers ${get.status}, HEAD ${head.status}.`]),
      ...(head.headers.etag === get.headers.etag ? [] : [`The ETag of HEAD is ${head.headers.etag}.`]),
      ...(head.body.length === 0 ? [] : [`HEAD has ${head.body.length} bytes.`]),
    ]
    return heldUnless(wrong, `${head.status}, ETag ${head.headers.etag}, no body`)
  },
}

export const GZIP_CHECK: Check = {
  name: 'gzip for Accept-Encoding: br, gzip',
  did: 'GET /openapi.json with that header.',
  expected: 'Content-Encoding: gzip, JSON in it, and Vary: Accept-Encoding.',
  run: async stage => {
    const { status, headers, body } = await stage.ask('GET', '/openapi.json', {
      headers: { 'Accept-Encoding': 'br, gzip' },
    })
    const encoding = headers['content-encoding'] ?? 'none'
    const vary = headers.vary ?? 'none'
    const wrong = [
      ...(status === 200 ? [] : [`The answer is ${status}.`]),
      ...(encoding === 'gzip' ? [] : [`The encoding is ${encoding}.`]),
      ...(/accept-encoding/i.test(vary) ? [] : [`Vary is ${vary}.`]),
    ]
    if (wrong.length > 0) return heldUnless(wrong, '')
    const text = gunzipSync(body).toString('utf8')
    return heldUnless(
      Object(JSON.parse(text)).openapi ? [] : ['There is no document in it.'],
      `${body.length} bytes in place of ${Buffer.byteLength(text)}`,
    )
  },
}
