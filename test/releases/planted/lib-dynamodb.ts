// The commands of the SDK, with which a later release writes items with further members.
import {
  BatchWriteCommand as BatchWrite,
  PutCommand as Put,
  TransactWriteCommand as Transact,
} from '@aws-sdk/lib-dynamodb'
import { withMembers } from './members.ts'

export * from '@aws-sdk/lib-dynamodb'

type PutInput = ConstructorParameters<typeof Put>[0]
type BatchInput = ConstructorParameters<typeof BatchWrite>[0]
type TransactInput = ConstructorParameters<typeof Transact>[0]

export class PutCommand extends Put {
  constructor(input: PutInput) {
    super({ ...input, Item: input.Item && withMembers(input.Item) })
  }
}

export class BatchWriteCommand extends BatchWrite {
  constructor({ RequestItems = {}, ...input }: BatchInput) {
    const requests = Object.entries(RequestItems).map(([table, all]) => [
      table,
      all.map(({ PutRequest, ...other }) =>
        PutRequest?.Item ? { PutRequest: { Item: withMembers(PutRequest.Item) } } : other,
      ),
    ])
    super({ ...input, RequestItems: Object.fromEntries(requests) })
  }
}

export class TransactWriteCommand extends Transact {
  constructor({ TransactItems = [], ...input }: TransactInput) {
    super({
      ...input,
      TransactItems: TransactItems.map(({ Put, ...other }) =>
        Put ? { Put: { ...Put, Item: Put.Item && withMembers(Put.Item) } } : other,
      ),
    })
  }
}
