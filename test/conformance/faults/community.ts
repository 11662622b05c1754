// Faults in comments, tickets, newsletter and users.
import { changed, doesNothing, type Fault, without } from './fault.ts'

export const COMMUNITY_FAULTS: Fault[] = [
  {
    name: 'tickets that any ability may read',
    on: /^GET \/me\/tickets$/,
    after: reply => {
      reply.status = 200
    },
    check: 'each ability opens its own endpoints, and no others',
    says: 'and not 403',
  },
  {
    name: 'a comment without its author',
    on: /^POST \/me\/comments$/,
    ...without('data.author'),
    check: 'a comment has its fields, and shows no address',
    says: '`data.author.name` is missing',
  },
  {
    name: 'a rejection that does nothing',
    on: /^POST \/admin\/comments\/\d+\/reject$/,
    ...doesNothing(),
    check: 'readers see a comment while it is approved',
    says: 'Readers see a rejected comment',
  },
  {
    name: 'tickets without a subject',
    on: /^POST \/me\/tickets$/,
    ...doesNothing(),
    check: 'a ticket needs a subject, a description and a known priority',
    says: 'and not 422',
  },
  {
    name: 'a newsletter that takes any token',
    on: /^POST \/newsletter\/unsubscribe$/,
    ...doesNothing(),
    check: 'a wrong token of the newsletter is 422 on `token`',
    says: 'and not 422',
  },
  {
    name: 'a search for users that finds nothing',
    on: /^GET \/admin\/users$/,
    ...changed('data', () => []),
    check: 'admins find a user by the beginning of the address',
    says: 'does not find the user',
  },
]
