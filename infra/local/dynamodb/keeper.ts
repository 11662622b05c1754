// Runs one command for as long as the pipe to the process that started it stays open: a database must not outlive its service.
import { spawn } from 'node:child_process'

const [command = '', ...args] = process.argv.slice(2)
const graceMs = 3000

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

process.stdin.on('close', endChild).on('error', endChild).resume()
process.on('SIGTERM', endChild)

function endChild(): void {
  child.kill('SIGTERM')
  setTimeout(() => child.kill('SIGKILL'), graceMs).unref()
}
