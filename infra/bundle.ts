// All functions in one run of esbuild: one folder and one file each, with everything in it.
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

type Options = { project: string; names: string[]; folder: string }

/**
 * CommonJS, because it loads faster than ES modules, and no inline source maps, which cost every cold start.
 * `<folder>/meta.json` tells what each bundle is made of.
 */
export const bundleFunctions = async ({ project, names, folder }: Options): Promise<void> => {
  const missing = names.filter(name => !existsSync(join(project, 'functions', `${name}.ts`)))
  if (missing.length > 0)
    throw new Error(
      `shared/service.ts declares functions that nobody wrote: ${missing.join(', ')}.\n` +
        'Each is a file functions/<name>.ts that exports `handler`. Write it, or take its entry out of shared/service.ts.',
    )
  const { metafile } = await build({
    absWorkingDir: project,
    entryPoints: names.map(name => ({ in: `functions/${name}.ts`, out: `${name}/index` })),
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    // What is written as ES modules can be left out where it is not used.
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    logLevel: 'warning',
  })
  await writeFile(join(folder, 'meta.json'), JSON.stringify(metafile))
}
