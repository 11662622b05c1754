// The process between service and database: guards the database's door, and ends it when the service ends.
// The pipe on stdin closes when the service ends, even by `kill -9`.
import { spawn } from 'node:child_process'
import { flushCompileCache } from 'node:module'
import { connect, Server, type Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { guard } from '../door/door.ts'

export type Upstream = { key: string; host: string; port: number }

const [command = '', ...args] = process.argv.slice(2)
const GRACE_MS = 3000

// Ctrl-C is for the service, which stops its database last by closing the pipe.
process.on('SIGINT', () => {})
process.on('SIGHUP', () => {})

const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
child.on('spawn', () => process.stdout.write(`${child.pid}\n`))
child.on('error', error => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
child.on('exit', code => process.exit(code ?? 1))

// The service opens the door, because this process may run in a network namespace of its own.
process.once('message', ({ key, host, port }: Upstream, door: unknown) => {
  if (!(door instanceof Server)) return
  guard(door, key, socket => pipeBothWays(socket, connect({ host, port, noDelay: true })))
  process.disconnect?.()
  flushCompileCache()
})

function pipeBothWays(socket: Socket, database: Socket): void {
  const ignoreErrors = () => {}
  pipeline(socket, database, ignoreErrors)
  pipeline(database, socket, ignoreErrors)
}

process.stdin.on('close', endChild).on('error', endChild).resume()
process.on('SIGTERM', endChild)

function endChild(): void {
  child.kill('SIGTERM')
  setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref()
}
