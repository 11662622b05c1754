// Which attempts the role of a function allows, because the function does the same.
import type { Attempt } from './attempts.ts'

const CHANGE_USERS: Attempt = 'change a token, a ban or a confirmed address'
const WRITE_USERS: Attempt[] = ['put a token', 'put a token in a batch', 'delete a token', CHANGE_USERS]
const USER_LISTS: Attempt[] = ['read the list of users', 'read the list of addresses']
const CHANGE_CONTENT: Attempt[] = ['put a change for copies', 'move the place of all changes']
const READ_DELIVERIES: Attempt[] = [
  'read a subscription with its sealed secret',
  'read an event that was delivered',
  'read the log of deliveries',
]

/** The attempts that a function's role allows, because it does the same on behalf of its callers. */
export const ALLOWED: Record<string, Attempt[]> = {
  // Shows the approved comments of a post: the permission names all lists of comments.
  public: ['read the list of pending comments'],
  community: [
    'read the list of pending comments',
    'read the list of messages',
    'read the list of subscribers',
    'find the subscriber of an address',
  ],
  // Registers, logs in, resets passwords and confirms addresses.
  auth: [...WRITE_USERS, 'read a password', ...USER_LISTS, 'find the account of an address'],
  // Creates and deletes tokens, which are in the partition of their user. A new name is content.
  me: [
    ...WRITE_USERS,
    ...CHANGE_CONTENT,
    'read the list of addresses',
    'read the list of pending comments',
    'read the list of subscribers',
    'find the subscriber of an address',
    'read the list of tickets',
  ],
  admin: [
    ...CHANGE_CONTENT,
    ...USER_LISTS,
    ...READ_DELIVERIES,
    CHANGE_USERS,
    'read the list of drafts',
    'publish a post',
    'change the settings',
    'read the list of pending comments',
    'read the list of subscribers',
    'read the addresses that refuse mail',
    'read the list of tickets',
    'read the list of messages',
    'read a message',
    'subscribe a receiver to all events',
    // Of a test ping.
    'put an event into the log',
    'put a delivery into the log',
  ],
  // Announces posts that become due, and keeps events for the log.
  'fan-out': [
    'publish a post',
    'put a change for copies',
    'move the place of all changes',
    'put an event into the log',
  ],
  // Counts deliveries in the records of subscriptions.
  'deliver-webhooks': [
    ...READ_DELIVERIES,
    'put a delivery into the log',
    'subscribe a receiver to all events',
  ],
  // Deletes revoked tokens and the lists of comments, works off replays, and sends mails.
  jobs: [
    ...WRITE_USERS,
    'read a subscription with its sealed secret',
    'read the log of deliveries',
    'read the list of pending comments',
    'put a delivery into the log',
    'read the addresses that refuse mail',
    'find the account of an address',
    'read what mails were sent',
    // A newer bounce ends the permission of the owner.
    'let an address get mail again',
  ],
}
