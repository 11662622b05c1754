// A handler that only builds the clients that every function builds: the least that loading can cost.
import { DYNAMODB, SQS, settingsIn } from '../../../../shared/aws/services.ts'
import { openSqs } from '../../../../shared/events/sqs.ts'
import { connect } from '../../../../shared/table/connect.ts'

const clients = {
  table: connect(settingsIn(process.env, DYNAMODB)),
  sqs: openSqs(settingsIn(process.env, SQS)),
}

export async function handler() {
  return { clients: Object.keys(clients) }
}
