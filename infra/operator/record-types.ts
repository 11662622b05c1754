// All types of records: every export of the modules in record-types/.
import type { RecordType } from './record-type.ts'
import * as accounts from './record-types/accounts.ts'
import * as comments from './record-types/comments.ts'
import * as community from './record-types/community.ts'
import * as posts from './record-types/posts.ts'

export const RECORD_TYPES: RecordType[] = [posts, comments, community, accounts].flatMap(module =>
  Object.values<RecordType>(module),
)
