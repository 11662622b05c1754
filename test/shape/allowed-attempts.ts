// Which attempts the role of a function allows, because the function does the same.
import type { Attempt } from './attempts.ts'

const WRITE_USERS: Attempt[] = [
  'put a token',
  'put a token in a batch',
  'delete a token',
  'change or guess the secret of a token',
  'change what a token may do',
  'note the use of a token',
  'revoke all tokens of a user',
  'confirm the address of a user',
  'lift a ban',
]
const USER_LISTS: Attempt[] = ['read the list of users', 'read the list of addresses']

/** Every API function may authenticate its caller. */
export const OF_API_FUNCTIONS: Attempt[] = ['note the use of a token']

const CHANGE_CONTENT: Attempt[] = ['put a change for copies', 'move the place of all changes']
const READ_DELIVERIES: Attempt[] = [
  'read a subscription with its sealed secret',
  'read an event that was delivered',
  'read the log of deliveries',
]

/** The further attempts that a function's role allows, because it does the same on behalf of its callers. */
export const ALSO_ALLOWED: Record<string, Attempt[]> = {
  comments: ['read the list of pending comments'],
  // Registers, logs in, resets passwords and confirms addresses.
  auth: [...WRITE_USERS, 'read a password', ...USER_LISTS, 'find the account of an address'],
  // Creates and deletes tokens, which are in the partition of their user. A new name is content.
  me: [...WRITE_USERS, ...CHANGE_CONTENT, 'read the list of addresses'],
  contact: ['read the list of messages'],
  newsletter: ['read the list of subscribers', 'find the subscriber of an address'],
  tickets: ['read the list of tickets'],
  'admin-posts': [...CHANGE_CONTENT, 'read the list of drafts', 'publish a post'],
  'admin-categories': CHANGE_CONTENT,
  'admin-users': ['lift a ban', ...USER_LISTS],
  'admin-site': [...CHANGE_CONTENT, 'change the settings'],
  'admin-comments': ['read the list of pending comments'],
  'admin-webhooks': [
    ...READ_DELIVERIES,
    'read the answer of a receiver',
    'subscribe a receiver to all events',
    // Of a test ping, and for the version of all subscriptions.
    'put an event into the log',
    'put a delivery into the log',
    'stop all deliveries for a while',
    'send deliveries again',
  ],
  'admin-newsletter': ['read the list of subscribers', 'read the addresses that refuse mail'],
  'admin-tickets': ['read the list of tickets'],
  'admin-contact': ['read the list of messages', 'read a message'],
  // Announces posts that become due, and keeps events for the log.
  'fan-out': ['publish a post', 'put a change for copies', 'put an event into the log'],
  // Counts deliveries in the records of subscriptions, and marks slow receivers.
  'deliver-webhooks': [
    ...READ_DELIVERIES,
    'put a delivery into the log',
    'subscribe a receiver to all events',
    'stop all deliveries for a while',
  ],
  // Deletes revoked tokens and the lists of comments, and works off replays.
  tidy: [
    ...WRITE_USERS,
    ...READ_DELIVERIES,
    'read the list of pending comments',
    'put a delivery into the log',
    'send deliveries again',
  ],
  'send-mail': [
    'read the addresses that refuse mail',
    'find the account of an address',
    'read what mails were sent',
  ],
  // A newer bounce ends the permission of the owner.
  'record-bounces': ['let an address get mail again'],
  // Erases secrets that were rotated.
  sweep: ['read a subscription with its sealed secret', 'subscribe a receiver to all events'],
}
