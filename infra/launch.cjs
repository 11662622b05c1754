// Runs a program of this project on Node 24 or newer: in this process, or on the Node that `npm ci` installed
// (npm 9 and 10 do not put it on the PATH). Plain CommonJS, so that any Node from 18 can run it.
'use strict'
const { spawn } = require('node:child_process')
const nodeModule = require('node:module')
const { constants } = require('node:os')
const { delimiter, dirname, join, resolve } = require('node:path')

const oldest = 24
const compiled = join(__dirname, '../.local/compiled')
/**
 * By default glibc has an arena for each thread, and keeps freed blocks of up to 32 MB. It must keep those
 * of a read from a socket (64 kB) and of a compression (128 kB), or each answer costs a dozen page faults.
 */
const smallArenas = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144' }

/** A program that uses the keys of an AWS account must not run on a Node from a package of a third party. */
const script = (process.argv[2] || '').replaceAll('\\', '/')
const isOfAccount =
  /infra\/deploy\b/.test(script) ||
  (/infra\/operator\//.test(script) && process.argv.some(word => /^--stage(=|$)/.test(word)))

if (process.env.npm_lifecycle_event) endWithShell()
if (isNewEnough(process.versions.node)) {
  runHere()
} else if (isOfAccount) {
  refuse('It works with the keys of your AWS account, and so not on the Node that `npm ci` has downloaded.')
} else {
  runElsewhere(findNode() || refuse())
}

function isNewEnough(version) {
  return Number(version.split('.')[0]) >= oldest
}

function runHere() {
  if (!process.connected && !process.env.MALLOC_ARENA_MAX) startAgain()
  // The launcher that started this process was killed: end as on a signal.
  if (process.connected) {
    process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
    process.channel.unref()
  }
  // Halves the start time of a command. The variable enables it in threads.
  process.env.NODE_COMPILE_CACHE ??= compiled
  nodeModule.enableCompileCache()
  process.argv.splice(1, 1)
  process.argv[1] = resolve(process.argv[1])
  nodeModule.runMain()
}

/** npm passes a signal on to its shell only, and most shells end without passing it on. */
function endWithShell() {
  const shell = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, 500).unref()
}

/** glibc reads the variable only at the start of a process. This one keeps its id. */
function startAgain() {
  if (process.platform !== 'linux' || !process.execve) return
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve(process.execPath, args, { ...process.env, ...smallArenas })
}

function runElsewhere(node) {
  // Programs started by name (`node`, `npx`) run on the same Node.
  process.env.PATH = [dirname(node), process.env.PATH].filter(Boolean).join(delimiter)
  const env = { ...smallArenas, ...process.env }
  const child = spawn(node, process.argv.slice(1), { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of forwarded) process.on(signal, () => child.kill(signal))
  child.on('error', error => refuse(`${node} does not start here: ${error.message}.`))
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code))
}

/** The binary in the platform's package, which is one of the optional dependencies. */
function findNode() {
  const name = packageName()
  try {
    const file = process.platform === 'win32' ? 'node.exe' : 'node'
    return name && join(dirname(require.resolve(`${name}/package.json`)), 'bin', file)
  } catch {
    return undefined
  }
}

function packageName() {
  const system = process.platform === 'win32' ? 'win' : process.platform
  const names = ['node', 'node-bin'].map(prefix => `${prefix}-${system}-${process.arch}`)
  const { optionalDependencies } = require('../package.json')
  return names.find(name => name in optionalDependencies)
}

function refuse(reason) {
  const platform = `${process.platform}-${process.arch}`
  const missing = packageName()
    ? `The package ${packageName()} has a newer one, but is missing: run \`npm ci\` without --omit=optional.`
    : `There is no package with a newer one for ${platform}.`
  console.error(`This needs Node ${oldest} or newer, and this is Node ${process.versions.node}.`)
  console.error(reason || missing)
  console.error(`Or install Node ${oldest} or newer from https://nodejs.org/en/download and run this again.`)
  process.exit(1)
}
