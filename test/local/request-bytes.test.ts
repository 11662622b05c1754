// Splitting bytes into requests to AWS services, however they are cut into chunks.
import { describe, expect, it } from 'vitest'
import { requestReader } from '../../infra/local/access/requests.ts'

describe('requestReader', () => {
  const request = (operation: string, body: string) =>
    `POST / HTTP/1.1\r\nX-Amz-Target: Some_2012.${operation}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

  it('returns every complete request for chunks of any size', () => {
    const bytes = Buffer.from(request('GetItem', '{"é":1}') + request('PutItem', '') + request('Query', '{}'))
    for (const size of [1, 7, 64, 100, bytes.length]) {
      const read = requestReader()
      const requests = []
      for (let at = 0; at < bytes.length; at += size) requests.push(...read(bytes.subarray(at, at + size)))
      expect(requests.map(({ operation, body }) => [operation, body])).toEqual([
        ['GetItem', '{"é":1}'],
        ['PutItem', ''],
        ['Query', '{}'],
      ])
      expect(Buffer.concat(requests.map(request => request.bytes)).equals(bytes)).toBe(true)
    }
  })
})
