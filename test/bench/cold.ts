// Measures the cold start of each function of the stack, by turns with an empty handler that has the same
// clients, on the CPU: `npm run bench -- --cold`.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import * as z from 'zod/mini'
import { bundleFunctions, ES_ENTRY } from '../../infra/bundle.ts'
import { SECRET_VARIABLES } from '../../shared/runtime/parameters.ts'
import { API_FUNCTIONS } from '../../shared/service/api-functions.ts'
import type { FunctionDeclaration } from '../../shared/service/permissions.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
import { openServer } from '../support/server.ts'
import { medianOf } from './compare/figures.ts'

const project = new URL('../..', import.meta.url).pathname
const DECLARED: Record<string, FunctionDeclaration> = {
  ...API_FUNCTIONS,
  ...QUEUE_WORKERS,
  ...SCHEDULED_WORKERS,
}

/** Loads a function as Lambda does, its init included, and prints the CPU time of the process in µs. */
const LOAD = `import(process.argv[1]).then(() => {
  const { user, system } = process.cpuUsage()
  process.stdout.write(String(user + system), () => process.exit())
})`

/** A handler that does nothing. Its clients are those of a function that answers, works, or sends mail. */
const RUNTIME = `import { runtime } from './shared/runtime/runtime.ts'\n`
const EMPTY = {
  answers: `${RUNTIME}export { ready } from './shared/lambda/initialize.ts'\nexport const handler = () => runtime()`,
  works: `${RUNTIME}export const handler = () => runtime()`,
  mails: `${RUNTIME}import { openTransport } from './shared/mail/transport.ts'
const send = openTransport()\nexport const handler = () => [runtime(), send]`,
}
type Empty = keyof typeof EMPTY

function emptyOf(name: string): Empty {
  if (name in API_FUNCTIONS) return 'answers'
  return DECLARED[name]?.sendsMail ? 'mails' : 'works'
}

async function bundleEmpty(folder: string): Promise<void> {
  const options = { bundle: true, minify: true, format: 'cjs', platform: 'node', target: 'node24' } as const
  for (const [name, contents] of Object.entries(EMPTY)) {
    const stdin = { contents, resolveDir: project, loader: 'ts' as const }
    const outfile = join(folder, name, 'index.cjs')
    await build({ ...options, mainFields: ['module', 'main'], stdin, outfile })
    await writeFile(join(folder, name, 'index.mjs'), ES_ENTRY)
  }
}

/** Prints milliseconds of CPU of each function and of its empty handler, and their ratio: medians. */
export async function measureColdStarts(rounds: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cold-'))
  await bundleFunctions(Object.keys(DECLARED), folder)
  await bundleEmpty(folder)
  // A table and secrets that answer at once.
  const { url, stop } = await openServer((_, response) => response.end('{"SecretString":"a key"}'))
  const secrets = Object.values(SECRET_VARIABLES).map(name => [`${name}_SECRET`, 'an id'])
  const env = {
    ...{ AWS_LAMBDA_FUNCTION_NAME: 'cold', AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: url },
    ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', TABLE_NAME: 'table' },
    ...{ SITE_URL: 'https://site.example', ...Object.fromEntries(secrets) },
  }
  const load = async (name: string): Promise<number> => {
    const words = ['-e', LOAD, join(folder, name, 'index.mjs')]
    const { stdout } = await promisify(execFile)(process.execPath, words, { env })
    return z.coerce.number().parse(stdout) / 1000
  }
  const times = new Map<string, number[]>()
  for (let round = 0; round < rounds; round++) {
    for (const name of [...Object.keys(EMPTY), ...Object.keys(DECLARED)]) {
      times.set(name, [...(times.get(name) ?? []), await load(name)])
    }
  }
  await stop()
  await rm(folder, { recursive: true })
  const middle = (name: string): number => medianOf(times.get(name) ?? [])
  const rows = Object.keys(DECLARED).map(name => {
    const [own, empty] = [middle(name), middle(emptyOf(name))]
    return `| ${name} | ${own.toFixed(0)} | ${empty.toFixed(0)} | ${(own / empty).toFixed(2)} |`
  })
  return ['| cold start, ms of CPU | function | empty handler | ratio |', '|---|---|---|---|', ...rows].join(
    '\n',
  )
}
