// The site builders: how each builds the same posts, and where its pages are.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { editLive } from './live-edit.ts'
import { type PreviewRecipe, previewDraft } from './preview-draft.ts'
import { FOLDER, packaged, runPackage, type Variables } from './run-package.ts'
import type { Stage } from './stage.ts'

export type SiteBuilder = {
  name: string
  /** The example, below this folder. */
  folder: string
  /** What builds leave in the example's folder. It is removed before the first build. */
  leaves: string[]
  build(cwd: string, variables: Variables): Promise<void>
  /** The file of a post's page, from the example's folder. */
  fileOf(slug: string): string
  /** Needs a token with the ability `builds:read`. */
  needsToken?: true
  /** Reads again only what has changed. */
  keepsCopy?: true
  /** After the build: checks what the site does while it is served. Returns what is wrong. */
  whenServed?(stage: Stage): Promise<string[]>
}

const ASTRO_PREVIEW: PreviewRecipe = { script: 'dist/server/entry.mjs', path: '/preview?token={token}' }
const ELEVENTY_PREVIEW: PreviewRecipe = { script: 'preview.mjs', path: '/?token={token}' }
const NEXT_PREVIEW: PreviewRecipe = {
  script: packaged('next/dist/bin/next'),
  args: ['start', '--hostname', '127.0.0.1'],
  path: '/api/preview?token={token}',
}

export const SITE_BUILDERS: SiteBuilder[] = [
  {
    name: 'Eleventy 3',
    folder: 'eleventy',
    leaves: ['.cache', '_site'],
    build: (cwd, variables) => runPackage('@11ty/eleventy/cmd.cjs', ['--quiet'], cwd, variables),
    fileOf: slug => `_site/${slug}/index.html`,
    keepsCopy: true,
    whenServed: stage => previewDraft('eleventy', ELEVENTY_PREVIEW, stage),
  },
  {
    name: 'Astro 5',
    folder: 'astro',
    leaves: ['node_modules', '.astro', 'dist'],
    build: (cwd, variables) => runPackage('astro/astro.js', ['build'], cwd, variables),
    fileOf: slug => `dist/client/${slug}/index.html`,
    keepsCopy: true,
    whenServed: stage => previewDraft('astro', ASTRO_PREVIEW, stage),
  },
  {
    name: 'Next.js with a webhook',
    folder: 'next-webhook',
    leaves: ['.cache', '.next'],
    build: async (cwd, variables) => {
      await runPackage('../next-webhook/copy.mjs', [], cwd, variables)
      await runPackage('next/dist/bin/next', ['build'], cwd, variables)
    },
    fileOf: slug => `.next/server/app/${slug}.html`,
    keepsCopy: true,
    whenServed: async stage => [
      ...(await editLive('next-webhook', stage)),
      ...(await previewDraft('next-webhook', NEXT_PREVIEW, stage)),
    ],
  },
  {
    name: 'Next.js with one request a post',
    folder: 'next-plain',
    leaves: ['.next', 'out'],
    build: (cwd, variables) => runPackage('next/dist/bin/next', ['build'], cwd, variables),
    fileOf: slug => `out/${slug}/index.html`,
    needsToken: true,
  },
]

/** True after the packages have been installed. */
export function isInstalled(): boolean {
  return existsSync(join(FOLDER, 'node_modules/next'))
}
