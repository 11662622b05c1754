// Bundles all functions in one run of esbuild: one folder and one file for each function.
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'

type Options = {
  project: string
  names: string[]
  folder: string
  /** The functions whose init waits until connections are open and the settings are read. */
  warmed?: string[]
  /** Further plugins, with which a test builds another release. */
  plugins?: Plugin[]
}

/** Calls that only build a group of endpoints, or join it with its handlers. */
const PURE_CALLS = /(?<![\w.])(?<!function )(?:group|handlersOf)\(/g

/** Marks those calls as pure, so that esbuild drops the groups that a function does not serve. */
const markPureCalls: Plugin = {
  name: 'mark-pure-calls',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]shared[/\\].*(?:contract|handlers)\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      return { loader: 'ts', contents: source.replace(PURE_CALLS, '/* @__PURE__ */ $&') }
    })
  },
}

/** Modules in a file of their own beside the bundle. The function loads them when a request needs them. */
const LOADED_LATER = { in: 'shared/service/document.ts', out: 'public/document' }

const loadLater: Plugin = {
  name: 'load-later',
  setup({ onResolve }) {
    onResolve({ filter: /\/document\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './document.cjs', external: true } : undefined,
    )
  },
}

/** Adds the export `ready` to a warmed function: its ES entry awaits it before the first event. */
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

/** Lambda loads index.mjs before index.cjs. It waits during the init, when the function has a full CPU. */
const ES_ENTRY = `import bundle from './index.cjs'
await bundle.ready
export const { handler } = bundle
`

/** The SDK's other sources of credentials: a function has its credentials in the environment. */
const OTHER_CREDENTIALS = [
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@smithy/credential-provider-imds',
]

/**
 * CommonJS behind a small ES entry loads faster than ES modules. Source maps would slow down cold starts.
 * `<folder>/meta.json` lists the files in each bundle.
 */
export async function bundleFunctions(options: Options): Promise<void> {
  const { project, names, folder, warmed = [], plugins = [] } = options
  const missing = names.filter(name => !existsSync(join(project, 'functions', `${name}.ts`)))
  if (missing.length > 0) {
    throw new Error(
      `shared/service/ declares functions that do not exist: ${missing.join(', ')}.\n` +
        'Write functions/<name>.ts with an export `handler`, or remove the entry from shared/service/.',
    )
  }
  const { metafile } = await build({
    absWorkingDir: project,
    entryPoints: [
      ...names.map(name => ({
        in: warmed.includes(name) ? `warmed:${name}` : `functions/${name}.ts`,
        out: `${name}/index`,
      })),
      ...(names.includes('public') ? [LOADED_LATER] : []),
    ],
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    // Only ES modules can be tree-shaken.
    mainFields: ['module', 'main'],
    minify: true,
    external: OTHER_CREDENTIALS,
    legalComments: 'none',
    metafile: true,
    plugins: [...plugins, markPureCalls, loadLater, withReady(project)],
    logLevel: 'warning',
  })
  for (const name of warmed) await writeFile(join(folder, name, 'index.mjs'), ES_ENTRY)
  await writeFile(join(folder, 'meta.json'), JSON.stringify(metafile))
}
