// Builds the functions of a release after this one: each item and message that it writes has more members.
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import { bundleFunctions } from '../../infra/bundle.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const planted = fileURLToPath(new URL('planted', import.meta.url))

/** New records are of the next version. */
const raiseSchema: Plugin = {
  name: 'raise-schema',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]shared[/\\].*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      const contents = source.replaceAll(/\bschema: 1\b/g, 'schema: 2')
      return contents === source ? undefined : { loader: 'ts', contents }
    })
  },
}

/** The service's own files get the commands of planted/ in place of the SDK's. */
const plantCommands: Plugin = {
  name: 'plant-commands',
  setup({ onResolve }) {
    onResolve({ filter: /^@aws-sdk\/(?:lib-dynamodb|client-sqs)$/ }, ({ path, importer }) =>
      importer.startsWith(join(project, 'shared'))
        ? { path: join(planted, `${basename(path)}.ts`) }
        : undefined,
    )
  },
}

/** Only functions with an endpoint that writes, since each costs CPU time. */
const WRITING = Object.entries(API_FUNCTIONS).flatMap(([name, { endpoints }]) =>
  Object.values(endpoints).some(({ method }) => method !== 'GET') ? [name] : [],
)

export async function buildNextRelease(folder: string): Promise<void> {
  await bundleFunctions({
    project,
    names: [...WRITING, ...Object.keys(QUEUE_WORKERS), ...Object.keys(SCHEDULED_WORKERS)],
    folder,
    warmed: WRITING,
    plugins: [raiseSchema, plantCommands],
  })
}
