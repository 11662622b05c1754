// The lifecycle of a worker thread: frozen between events, ended on a timeout, replaced after a crash.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { TimeoutError } from '../../infra/local/lambda/functions.ts'
import { createPool } from '../../infra/local/lambda/pool.ts'
import { until } from '../world/until.ts'
import { createFunction } from './function-world.ts'

describe('a worker', () => {
  it('is frozen between two events', async () => {
    const { call } = createFunction('return ticks', {}, 'let ticks = 0; setInterval(() => ticks++, 5)')
    await call()
    const before = Number(await call())
    await sleep(250)
    expect(Number(await call()) - before).toBeLessThan(5)
  })

  it('notices connections that were closed while it was frozen', async () => {
    let closed = Promise.withResolvers<void>()
    const server = createServer(socket => {
      socket.on('error', () => {})
      socket.on('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
        // After the answer has arrived and its worker is frozen.
        setTimeout(() => socket.end(() => closed.resolve()), 200)
      })
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const { call } = createFunction(
      `return new Promise((resolve, reject) => {
        http.get({ port: event.port, agent }, answer => answer.resume().on('end', () => resolve('fine'))).on('error', reject)
      })`,
      {},
      'const http = require("node:http"); const agent = new http.Agent({ keepAlive: true })',
    )
    for (let time = 0; time < 3; time++) {
      closed = Promise.withResolvers()
      expect(await call(server.address())).toBe('fine')
      await closed.promise
    }
  })

  it('collects garbage while it is idle, and shows its function no way to do so', async () => {
    const body = `
      if (event.fill) { let garbage = []; for (let n = 0; n < 2e6; n++) garbage.push({ n }); keep = garbage }
      if (event.drop) keep = undefined
      return { gc: typeof gc, heap: process.memoryUsage().heapUsed }`
    const { call } = createFunction(body, { Timeout: 60 }, 'let keep')
    const heapAfter = async (event: object) => Number(Object(await call(event)).heap)
    await heapAfter({ fill: true })
    const full = await heapAfter({ drop: true })
    await until('the heap of an idle worker to shrink', async () => {
      await sleep(2_500)
      return (await heapAfter({})) < full / 2
    })
    expect(await call({})).toMatchObject({ gc: 'undefined' })
  })

  it('serves further events', async () => {
    const { call } = createFunction('return ++calls', {}, 'let calls = 0')
    expect([await call(), await call(), await call()]).toEqual([1, 2, 3])
  })

  it('ends when it is idle after a burst, unless it is the last one', async () => {
    const { folder } = createFunction('')
    await writeFile(
      join(folder, 'index.js'),
      'exports.handler = () => new Promise(done => setTimeout(done, 100, require("node:worker_threads").threadId))',
    )
    const idleMs = 300
    const options = {
      functionId: 'F',
      folder,
      handler: 'index.handler',
      timeoutMs: 5_000,
      environment: {},
      log() {},
    }
    const pool = createPool(options, { mostThreads: 3, idleMs })
    onTestFinished(() => pool.stop())
    const burst = async () => new Set(await Promise.all(['{}', '{}', '{}'].map(event => pool.run(event))))
    const first = await burst()
    expect(first.size).toBe(3)
    await sleep(3 * idleMs)
    const second = await burst()
    expect(second.size).toBe(3)
    expect(first.intersection(second).size).toBe(1)
  })

  it('is replaced when its function exceeds the timeout', async () => {
    const { call, lines } = createFunction('while (event.loop);  return "fine"', { Timeout: 1 })
    await expect(call({ loop: true })).rejects.toBeInstanceOf(TimeoutError)
    expect(lines).toContain('F Task timed out after 1.00 seconds')
    expect(await call()).toBe('fine')
  })

  it('overflows its stack at the same depth as a process', async () => {
    const depth = 'let depth = 0; const dive = () => { depth++; dive() }; try { dive() } catch {}'
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', `${depth}; console.log(depth)`])
    const { call } = createFunction(`${depth}; return depth`)
    const [inProcess, inWorker] = [Number(stdout), Number(await call())]
    expect(inWorker).toBeLessThanOrEqual(inProcess)
    expect(inWorker).toBeGreaterThan(inProcess * 0.9)
  })

  it('is replaced after a crash that follows its answer', async () => {
    const { call, lines } = createFunction(
      'if (event.leave) setTimeout(() => { throw new Error("stray") }, 1); else await new Promise(done => setTimeout(done, event.ms)); return "fine"',
    )
    expect(await call({ leave: true })).toBe('fine')
    await expect(call({ ms: 1_000 })).rejects.toThrow('stray')
    expect(lines.join('\n')).toContain('stray')
    expect(await call({ ms: 1 })).toBe('fine')
  })

  it('fails its event if it exits', async () => {
    const { call } = createFunction('process.exit(3)')
    await expect(call()).rejects.toMatchObject({ errorType: 'Runtime.ExitError' })
  })

  it('ends during an event when its session crashes, and no other worker does', async () => {
    const body =
      'if (event.ms) await new Promise(done => setTimeout(done, event.ms)); return process.env.AWS_SESSION_TOKEN'
    const { call, functions } = createFunction(body)
    const session = String(await call())
    const running = call({ ms: 60_000 })
    functions.crash('another')
    functions.crash(session)
    await expect(running).rejects.toMatchObject({ errorType: 'Runtime.ExitError' })
    expect(await call()).not.toBe(session)
  })
})
