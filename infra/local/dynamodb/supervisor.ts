// Runs the database for as long as the pipe to the process that started it stays open, and keeps its door: a database
// must not outlive its service, nor answer anybody else.
import { spawn } from 'node:child_process'
import { connect, Server, type Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { guard } from '../door/door.ts'

export type Upstream = { key: string; host: string; port: number }

const [command = '', ...args] = process.argv.slice(2)
const GRACE_MS = 3000

// A terminal's Ctrl-C is for the service, which ends its database last; the closing pipe tells us.
process.on('SIGINT', () => {})
process.on('SIGHUP', () => {})

const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
child.on('spawn', () => process.stdout.write(`${child.pid}\n`))
child.on('error', error => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
child.on('exit', code => process.exit(code ?? 1))

// The door was opened by the service, outside of the network that this process and the database have to themselves.
process.once('message', ({ key, host, port }: Upstream, door: unknown) => {
  if (!(door instanceof Server)) return
  guard(door, key, socket => pipeBothWays(socket, connect({ host, port, noDelay: true })))
  process.disconnect?.()
})

function pipeBothWays(socket: Socket, database: Socket): void {
  const ended = () => {}
  pipeline(socket, database, ended)
  pipeline(database, socket, ended)
}

process.stdin.on('close', endChild).on('error', endChild).resume()
process.on('SIGTERM', endChild)

function endChild(): void {
  child.kill('SIGTERM')
  setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref()
}
