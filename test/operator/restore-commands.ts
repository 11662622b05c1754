// `operator restore` on the table of a story, as the tests of its options run it.
import { DynamoDBClient, RestoreTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb'
import { clientSettings } from '../../infra/local/account.ts'
import { dumpAt } from '../world/table.ts'
import { operatorOn } from './operator-world.ts'
import { AT_MS, type openRestoreStory, stageWith } from './restore-story.ts'

export const AT = new Date(AT_MS).toISOString()
const NOON_MS = AT_MS + 3_600_000

/** The story is opened only before the first test, so nothing of it is read before. */
export function restoreCommands(opened: Awaited<ReturnType<typeof openRestoreStory>>) {
  return {
    /** Tables of other files are in the same database. */
    named: (word: string) => `${opened.world.tableName}-${word}`,
    operator: (tableName?: string) => operatorOn(stageWith(opened, tableName), () => NOON_MS),
    /** As the owner does it in AWS. */
    async restoreInAws(name: string): Promise<void> {
      const client = new DynamoDBClient(clientSettings(opened.endpoint))
      await client
        .send(
          new RestoreTableToPointInTimeCommand({
            SourceTableName: opened.world.tableName,
            TargetTableName: name,
            RestoreDateTime: new Date(AT_MS),
          }),
        )
        .finally(() => client.destroy())
    },
    async itemsOf(name: string, partitions: string[]) {
      const items = await dumpAt(opened.world.endpoint, name)
      return items.filter(({ pk }) => partitions.includes(pk))
    },
  }
}
