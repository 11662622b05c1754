// Swaps the manifest: from then on searches read other segments.
import { randomUUID } from 'node:crypto'
import { CONFLICT, ConditionFailed, isNew, setMembers } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { manifestKey } from '../../table/design.ts'
import { attributesOfManifest, type Manifest } from '../manifest.ts'
import { readIndexState } from '../store/index-state.ts'

/** Returns the manifest as saved. Throws ConditionFailed: CONFLICT if another run has saved one since. */
export async function saveManifest(
  table: Table,
  before: Manifest | undefined,
  after: Omit<Manifest, 'stamp'>,
): Promise<Manifest> {
  const saved = { ...after, stamp: randomUUID() }
  const unchanged = before
    ? { ConditionExpression: 'stamp = :s', ExpressionAttributeValues: { ':s': before.stamp } }
    : isNew
  const Update = { Key: manifestKey, ...setMembers(attributesOfManifest(saved), unchanged) }
  try {
    await table.write({ onConditionFailed: CONFLICT, Update })
  } catch (error) {
    // A repeated write fails if the first one succeeded and its answer was lost.
    const isSaved =
      error instanceof ConditionFailed && (await readIndexState(table)).manifest?.stamp === saved.stamp
    if (!isSaved) throw error
  }
  return saved
}
