// Bundles all functions in one run of esbuild: a folder for each function.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))

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

/** A bundle loads the document from a file beside it, when the first request asks for the document. */
const LOADED_LATER = { in: 'shared/openapi/document.ts', out: 'public/document' }

const loadLater: Plugin = {
  name: 'load-later',
  setup({ onResolve }) {
    onResolve({ filter: /\/document\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './document.cjs', external: true } : undefined,
    )
  },
}

/**
 * Lambda loads index.mjs before index.cjs. A function that exports `ready` waits for it during the init, when
 * it has a whole CPU.
 */
export const ES_ENTRY = `import bundle from './index.cjs'
await bundle.ready
export const { handler } = bundle
`

/**
 * CommonJS behind a small ES entry loads faster than ES modules. Source maps would slow down cold starts.
 * `<folder>/meta.json` lists the files in each bundle.
 */
export async function bundleFunctions(names: string[], folder: string): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: PROJECT,
    entryPoints: [...names.map(name => ({ in: `functions/${name}.ts`, out: `${name}/index` })), LOADED_LATER],
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    // Only ES modules can be tree-shaken.
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    metafile: true,
    plugins: [markPureCalls, loadLater],
    logLevel: 'warning',
  })
  for (const name of names) await writeFile(join(folder, name, 'index.mjs'), ES_ENTRY)
  await writeFile(join(folder, 'meta.json'), JSON.stringify(metafile))
}
