// Checks the search index: it has the document of every public post, and the segments have its words.
import {
  findPostsToIndex,
  indexPostAgain,
  isUpToDate,
} from '../../../shared/search/commands/documents-of-posts.ts'
import { findBuild, removeUnfinished } from '../../../shared/search/commands/write-segment.ts'
import { readIndexState } from '../../../shared/search/store/index-state.ts'
import type { Table } from '../../../shared/table/client.ts'
import { slices } from '../../../shared/table/concurrency.ts'
import { nameIn, segmentItemKey } from '../../../shared/table/design.ts'
import type { Context } from '../command.ts'
import { reindex } from '../reindex/reindex.ts'
import type { IndexSums } from './index-sums.ts'
import type { Problem } from './problem.ts'
import { wrongSegments } from './segments.ts'

const ONLY_REINDEX = 'Only a reindex repairs it.'

/** A reindex repairs everything, so that what else is wrong need not be known. */
export async function checkIndex(context: Context, sums: IndexSums, repair: boolean): Promise<Problem[]> {
  const { table } = context.target
  const outdated = await outdatedPosts(table, suspectedPosts(sums))
  const { posts, unreadable } = await wrongSegments(table, sums.sums)
  const wrong = posts.filter(id => !outdated.includes(id))
  const needsReindex = [
    ...sums.unreadable.map(({ pk }) => `search index of post ${nameIn(pk)}`),
    ...unreadable.map(name => `search segment ${name}`),
  ]
  const problems = [
    ...needsReindex.map(subject => problemOf(subject, `cannot be read. ${ONLY_REINDEX}`, repair)),
    ...outdated.map(id => problemOf(`post ${id}`, 'the search index is out of date for it.', repair)),
    ...wrong.map(id => problemOf(`post ${id}`, `searches find other words of it. ${ONLY_REINDEX}`, repair)),
    ...(await checkUnknownSegments(table, sums.segments, repair)),
  ]
  // A post can be indexed again only if the segments have the words of its document, which are then removed.
  if (repair && (needsReindex.length > 0 || posts.length > 0 || outdated.length > MAX_SINGLY)) {
    await table.removeMany(sums.unreadable)
    await reindex(context)
  } else if (repair) {
    for (const id of outdated) await indexPostAgain(table, id, context.nowMs)
  }
  return problems
}

/** A reindex costs less than indexing more posts one by one. */
const MAX_SINGLY = 100

function problemOf(subject: string, message: string, isRepaired: boolean): Problem {
  return { subject, message, isRepaired }
}

function suspectedPosts({ expected, indexed }: IndexSums): number[] {
  return [...new Set([...expected.keys(), ...indexed.keys()])].filter(
    id => expected.get(id) !== indexed.get(id),
  )
}

const POSTS_AT_ONCE = 30

/** Reads posts and documents again, since the service may have been writing them. */
async function outdatedPosts(table: Table, suspected: number[]): Promise<number[]> {
  const outdated: number[] = []
  // The words of a long text are read later. Until then its marker says so.
  const unread = new Set(
    (await readIndexState(table)).pending
      .filter(({ newest }) => newest.state === 'unread')
      .map(({ id }) => id),
  )
  for (const ids of slices(suspected, POSTS_AT_ONCE)) {
    for (const post of await findPostsToIndex(table, ids)) {
      if ('problem' in post || unread.has(post.id) || isUpToDate(post)) continue
      outdated.push(post.id)
    }
  }
  return outdated.sort((a, b) => a - b)
}

/** Segments that no manifest names, of runs that were killed. One that is being written is none of them. */
async function checkUnknownSegments(table: Table, stored: Set<string>, repair: boolean): Promise<Problem[]> {
  const builds = [await findBuild(table, 'pending'), await findBuild(table, 'merge')]
  const { manifest } = await readIndexState(table)
  const known = new Set([
    ...builds.flatMap(build => build?.name ?? []),
    ...(manifest?.segments ?? []).map(({ name }) => name),
    ...(manifest?.leavings ?? []).flatMap(({ obsolete }) => obsolete.map(({ name }) => name)),
  ])
  const unknown = [...stored].filter(name => !known.has(name))
  const problems: Problem[] = []
  for (const name of unknown) {
    // A merge may have deleted it since the scan.
    const [item] = await table.findMany([segmentItemKey(name, 0)])
    if (!item) continue
    if (repair) await removeUnfinished(table, name)
    problems.push(
      problemOf(`search segment ${name}`, 'no search reads it, but items of it are stored.', repair),
    )
  }
  return problems
}
