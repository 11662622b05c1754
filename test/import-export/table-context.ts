// The context of a command on a table without a service, which may be killed after some writes.

import { TABLE_OUTPUT } from '../../infra/names.ts'
import type { Context } from '../../infra/operator/command.ts'
import { localClients } from '../../infra/operator/local-clients.ts'
import { targetOf } from '../../infra/operator/target.ts'
import type { Message } from '../../shared/events/message.ts'
import { interceptable } from '../world/interceptable.ts'
import type { TableWorld } from '../world/table.ts'
import { droppingSender } from '../world/work.ts'

const NOW_MS = Date.parse('2026-11-01T12:00:00Z')

export class Killed extends Error {}

/** After `writes` writes every call fails. `sent` gets the messages of committed changes. */
export function contextOn(
  world: TableWorld,
  writes = Number.POSITIVE_INFINITY,
): Context & { isKilled: () => boolean; sent: Message[] } {
  const sent: Message[] = []
  const clients = localClients({ dynamodb: world.endpoint, sqs: world.endpoint })
  const client = interceptable(clients.client)
  let left = writes
  const whileAlive = async <T>(run: () => Promise<T>, operation = ''): Promise<T> => {
    if (left <= 0) throw new Killed()
    const answer = await run()
    if (/^(?:Put|Update|Delete|BatchWrite|TransactWrite|Restore|Tag)/.test(operation)) left--
    return answer
  }
  client.around(whileAlive)
  clients.dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      args =>
        whileAlive(() => next(args), commandName),
    { step: 'initialize' },
  )
  const target = targetOf({
    ...clients,
    client,
    outputs: { [TABLE_OUTPUT]: world.tableName },
    openSecrets: () => Promise.reject(new Error('No secret is needed.')),
    ownUrl: 'https://site.example',
    label: 'a table',
    close: async () => undefined,
  })
  return {
    target: {
      ...target,
      sender: {
        send: async messages => {
          for (const message of messages) sent.push(message)
          return await droppingSender.send(messages)
        },
      },
    },
    nowMs: NOW_MS,
    nowSeconds: NOW_MS / 1000,
    progress: { show: () => undefined, clear: () => undefined },
    readStdin: async () => '',
    writeOut: async () => undefined,
    isKilled: () => left <= 0,
    sent,
  }
}
