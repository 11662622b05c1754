// Works off what outlives a request: mails, bounces, clean-ups and replays.
import { consume } from '../shared/lambda/consume.ts'
import { openTransport } from '../shared/mail/transport.ts'
import { workOff } from '../shared/service/jobs.ts'

export const handler = consume('jobs', workOff(openTransport()))
