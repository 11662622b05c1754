// The context of a command on a table without a service, which may be killed after some writes.
import { connectLocally } from '../../infra/local/dynamodb/table.ts'
import { TABLE_OUTPUT } from '../../infra/names.ts'
import type { Context } from '../../infra/operator/command.ts'
import { localTarget } from '../../infra/operator/local-target.ts'
import type { Connection, Target } from '../../infra/operator/target.ts'
import type { Message } from '../../shared/events/message.ts'
import { contextOf } from '../operator/operator-world.ts'
import { interceptable } from '../support/interceptable.ts'
import type { TableWorld } from '../support/table.ts'
import { droppingSender } from '../support/work.ts'

const NOW_MS = Date.parse('2026-11-01T12:00:00Z')

export class Killed extends Error {}

/** A table without queues and secrets. */
export function targetOn(
  { endpoint, tableName }: Pick<TableWorld, 'endpoint' | 'tableName'>,
  more: Partial<Connection> = {},
): Target {
  const endpoints = { dynamodb: endpoint, sqs: endpoint, secretsManager: endpoint }
  const service = { endpoints, outputs: { [TABLE_OUTPUT]: tableName } }
  return localTarget(service, { ownUrl: 'https://site.example', label: 'a table', ...more })
}

export async function empty({ table, dump }: Pick<TableWorld, 'table' | 'dump'>): Promise<void> {
  await table.removeMany((await dump()).map(({ pk, sk }) => ({ pk, sk })))
}

/** After `writes` writes every call fails. `sent` gets the messages of committed changes. */
export function contextOn(
  world: TableWorld,
  writes = Number.POSITIVE_INFINITY,
): Context & { isKilled: () => boolean; sent: Message[] } {
  const sent: Message[] = []
  const client = interceptable(connectLocally(world.endpoint))
  let left = writes
  const whileAlive = async <T>(run: () => Promise<T>, operation = ''): Promise<T> => {
    if (left <= 0) throw new Killed()
    const answer = await run()
    if (/^(?:Put|Update|Delete|BatchWrite|TransactWrite)/.test(operation)) left--
    return answer
  }
  client.around(whileAlive)
  const target = {
    ...targetOn(world, { client }),
    privateKey: async () => 'a private key',
    sender: {
      send: async (messages: Message[]) => {
        for (const message of messages) sent.push(message)
        return await droppingSender.send(messages)
      },
    },
  }
  return { ...contextOf(target, NOW_MS), isKilled: () => left <= 0, sent }
}
