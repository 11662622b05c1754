// Requests to AWS services as they come in, cut anywhere: each is whole again.
import { describe, expect, it } from 'vitest'
import { requestReader } from '../../infra/local/access/requests.ts'

describe('requests as bytes', () => {
  const request = (operation: string, body: string) =>
    `POST / HTTP/1.1\r\nX-Amz-Target: Some_2012.${operation}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

  it('are whole again, however they are cut', () => {
    const bytes = Buffer.from(request('GetItem', '{"é":1}') + request('PutItem', '') + request('Query', '{}'))
    for (const size of [1, 7, 64, 100, bytes.length]) {
      const read = requestReader()
      const found = []
      for (let at = 0; at < bytes.length; at += size) found.push(...read(bytes.subarray(at, at + size)))
      expect(found.map(({ operation, body }) => [operation, body])).toEqual([
        ['GetItem', '{"é":1}'],
        ['PutItem', ''],
        ['Query', '{}'],
      ])
      expect(Buffer.concat(found.map(each => each.bytes)).equals(bytes)).toBe(true)
    }
  })
})
