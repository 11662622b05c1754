// All functions in one run of esbuild: one folder and one file each, with everything in it.
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'

/** `warmed`: those of the names whose ES entry waits until connections are open and the settings are read. */
type Options = { project: string; names: string[]; folder: string; warmed?: string[] }

/** Calls that make a schema or a group of endpoints, and do nothing else. */
const PURE_CALLS =
  /(?<![\w.])(?:z\.(?!config\b)\w+|group|named|httpUrl|(?:required|optional)(?:Line|Text|Words))\(/g

/** esbuild leaves out what nobody uses, as the endpoints of other groups, only where it is told that a call has no effect. */
const markPureCalls: Plugin = {
  name: 'only-what-is-used',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]shared[/\\].*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      return { loader: 'ts', contents: source.replace(PURE_CALLS, '/* @__PURE__ */ $&') }
    })
  },
}

/** Adds the export `ready` to a function that is warmed up: its ES entry waits for it before the first event. */
function withReady(project: string): Plugin {
  return {
    name: 'with-ready',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^warmed:/ }, ({ path }) => ({
        path: path.slice('warmed:'.length),
        namespace: 'warmed',
      }))
      onLoad({ filter: /.*/, namespace: 'warmed' }, ({ path }) => ({
        contents: `export { handler } from './functions/${path}.ts'
        export { ready } from './shared/lambda/initialize.ts'`,
        resolveDir: project,
        loader: 'ts',
      }))
    },
  }
}

/** Lambda and the local run take index.mjs before index.cjs. It waits during the init, where the CPU is whole. */
const ES_ENTRY = `import bundle from './index.cjs'
await bundle.ready
export const { handler } = bundle
`

/** A function's credentials are in its environment, where the SDK looks first; it also brings six other places to look. */
const OTHER_CREDENTIALS = [
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@smithy/credential-provider-imds',
]

/**
 * CommonJS behind a three-line ES entry, because it loads faster than ES modules, and no inline source maps, which cost every cold start.
 * `<folder>/meta.json` tells what each bundle is made of.
 */
export async function bundleFunctions({ project, names, folder, warmed = [] }: Options): Promise<void> {
  const missing = names.filter(name => !existsSync(join(project, 'functions', `${name}.ts`)))
  if (missing.length > 0) {
    throw new Error(
      `shared/service/ declares functions that nobody wrote: ${missing.join(', ')}.\n` +
        'Each is a file functions/<name>.ts that exports `handler`. Write it, or take its entry out of shared/service/.',
    )
  }
  const { metafile } = await build({
    absWorkingDir: project,
    entryPoints: names.map(name => ({
      in: warmed.includes(name) ? `warmed:${name}` : `functions/${name}.ts`,
      out: `${name}/index`,
    })),
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    // What is written as ES modules can be left out where it is not used.
    mainFields: ['module', 'main'],
    minify: true,
    external: OTHER_CREDENTIALS,
    legalComments: 'none',
    metafile: true,
    plugins: [markPureCalls, withReady(project)],
    logLevel: 'warning',
  })
  for (const name of warmed) await writeFile(join(folder, name, 'index.mjs'), ES_ENTRY)
  await writeFile(join(folder, 'meta.json'), JSON.stringify(metafile))
}
