// A receiver in a process of its own, so that its CPU does not count: `/hang` never answers.
import { once } from 'node:events'
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  request.resume()
  if (request.url !== '/hang') response.writeHead(204).end()
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
console.log(address !== null && typeof address === 'object' ? address.port : 0)
