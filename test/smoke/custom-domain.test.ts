// The smoke test of a custom domain, whose DNS record may not exist yet.
import { once } from 'node:events'
import { createServer } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answering, GOOD, openGateway, useSmokeTest } from './gateway-world.ts'

const { test } = useSmokeTest()

describe('the smoke test of a custom domain', () => {
  it('connects to the target of the domain, and asks for the domain', async () => {
    let host: string | undefined
    const { port } = await openGateway((request, response) => {
      host = request.headers.host
      answering(200, GOOD)(request, response)
    })
    const domain = `content.example:${port}`
    expect(await test(`http://${domain}`, { ConnectTo: '127.0.0.1' })).toMatchObject({ Status: 'SUCCESS' })
    expect(host).toBe(domain)
  })

  it('asks for the certificate of the domain', async () => {
    const names: string[] = []
    const server = createServer({
      SNICallback: (name, done) => {
        names.push(name)
        done(new Error('no certificate'))
      },
    })
    onTestFinished(() => void server.close())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const port = Number(Object(server.address()).port)
    expect(await test(`https://content.example:${port}`, { ConnectTo: '127.0.0.1' })).toMatchObject({
      Status: 'FAILED',
    })
    expect(new Set(names)).toEqual(new Set(['content.example']))
  })
})
