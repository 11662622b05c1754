// Deletes segments that a killed run was writing, and which no later run continues.
import type { Table } from '../../table/client.ts'
import type { Manifest } from '../manifest.ts'
import { emptyManifest } from '../store/index-state.ts'
import { inputsOf } from './merge-segments.ts'
import { saveManifest } from './save-manifest.ts'
import { findBuild, removeUnfinished } from './write-segment.ts'

/** `keepsMerge`: a merge whose inputs are still there continues. Returns the manifest, saved again or not. */
export async function removeAbandoned(
  table: Table,
  first: Manifest | undefined,
  { keepsMerge }: { keepsMerge: boolean },
): Promise<Manifest | undefined> {
  let manifest = first
  const kinds = ['pending', 'merge'] as const
  const builds = await Promise.all(kinds.map(kind => findBuild(table, kind)))
  for (const [n, kind] of kinds.entries()) {
    const before = manifest ?? emptyManifest()
    const build = builds[n]
    if (!build || build.name === before.built[kind] || (keepsMerge && inputsOf(before, build))) continue
    // From here on the killed run, should it only have been slow, cannot save its manifest.
    const built = { ...before.built, [kind]: build.name }
    manifest = await saveManifest(table, manifest, { ...before, built })
    await removeUnfinished(table, build.name)
  }
  return manifest
}
