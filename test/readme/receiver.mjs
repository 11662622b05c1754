// Receives webhooks at http://localhost:4000 and prints the genuine ones: node receiver.mjs SECRET
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

const [, , secret = '', port = '4000'] = process.argv

createServer(async (request, response) => {
  const body = await text(request)
  const expected = createHmac('sha256', secret).update(body).digest()
  const given = Buffer.from(request.headers.signature ?? '', 'hex')
  const isGenuine = given.length === expected.length && timingSafeEqual(given, expected)
  response.writeHead(isGenuine ? 204 : 401).end()
  console.log(isGenuine ? body : 'not from us')
}).listen(Number(port), 'localhost', () => console.log(`Receiving at http://localhost:${port}`))
