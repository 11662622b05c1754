// A process that answers each operation with recorded bytes, so that only the CPU time of its client counts.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const answers = new Map(
  Object.entries(JSON.parse(process.argv[2] ?? '{}')).map(([name, answer]) => [name, JSON.stringify(answer)]),
)

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    const [, operation = ''] = String(request.headers['x-amz-target']).split('.')
    const body = answers.get(operation) ?? '{}'
    response.writeHead(200, {
      'Content-Type': 'application/x-amz-json-1.0',
      'Content-Length': Buffer.byteLength(body),
      'x-amzn-RequestId': 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEFGHIJKLMNOP',
      'x-amz-crc32': '1234567890',
    })
    response.end(body)
  })
})
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
