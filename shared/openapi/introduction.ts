// What the document says of all endpoints together.
import { AUDIENCE_LIMITS, type Audience, BUILDS_LIMIT } from '../http/audience.ts'
import { withCommas } from '../http/text.ts'

function perMinute(audience: Audience): string {
  const { perMinute: most, per } = AUDIENCE_LIMITS[audience]
  return `${most} requests a minute per ${per === 'ip' ? 'IP address' : 'user'}`
}

export const INTRODUCTION = `
Every answer is an envelope: \`success\`, \`message\`, and \`data\` or \`errors\`. Clients branch on \`errors.code\`, never on
  \`message\`. Within v1 members may be added, and none changes or disappears.

## Requests

Bodies are JSON of at most 2 MiB, whatever their \`Content-Type\` says. All problems of a body come in one answer, by field.
  Texts in bodies, queries and paths are UTF-8, and anything else is a 422; a byte order mark before a body is skipped.
  Unknown members and query parameters are ignored. Texts of one line (titles, names,
  subjects, labels) may not contain line ends, tabs or other control characters. Lengths count Unicode characters.

Times are whole seconds in UTC. Any ISO 8601 date, or date and time, is accepted: without an offset it is UTC, without a
  time midnight, fractions of a second are cut off, and a leap second is the second before it.

A method that a path does not have is a 404, as an unknown path is.

## Lists

Lists have 12 items a page, at most 100, and an exact \`total\`. Page 8,000 is as fast as page 2. A page after the last one is
  empty.

Answers with \`cursor\` are continued by it: send \`cursor.next\` as the parameter that the endpoint names, with the same filters,
  until it is null. A cursor is opaque; a broken one, or one of another list, is a 422.

## Copies

A static-site build need not pull everything again: \`GET /api/v1/changes\` lists what has changed since a cursor. When a webhook
  arrives, its change is in the answer.

## Limits

Public endpoints take ${perMinute('public')}, \`/me\` takes ${perMinute('user')}, and \`/admin\`
  takes ${perMinute('admin')}. Some endpoints have a limit of their own, which their description names. An IPv6 address
  counts as its /64 network.

A build that reads more sends a token with the ability \`builds:read\` with its public reads. They are counted per token,
  ${withCommas(BUILDS_LIMIT.perMinute)} a minute, and not per address. An admin creates it with \`POST /api/v1/me/tokens\`, or the owner on the command line. It allows
  nothing else, and a wrong or revoked one is ignored, as is that of a user who is not an admin any more.

Every answer to a counted request carries \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`; a 429 also
  carries \`Retry-After\`.

## Caches and versions

Public reads carry an \`ETag\` and answer \`If-None-Match\` with 304. Admin answers about one post or category carry a strong
  \`ETag\` with the version of the record, and a write with \`If-Match\` fails with 412 if the record has changed since.

Answers to which a token gave access are \`no-store\`.

Names and pictures of authors are at most a minute old in what is read. Events, and the answer to a comment or a reply, show
  them as they are at that moment.

## Previews

\`POST /api/v1/admin/posts/{id}/preview\` creates a token that shows this one draft to its bearer. The setting \`site.preview_url\` is
  the page of your site that shows drafts: it gets the token in its address, and sends it in the header \`Preview-Token\` to
  \`GET /api/v1/preview\` or with the slug. A public record looks the same with a token and without.

## Many writes

\`POST /api/v1/admin/batch\` makes up to 25 writes of posts, pages and categories, and counts as one request: a thousand posts go in
  with 42 requests. Send an \`Idempotency-Key\`, and send the batch again until no operation is a 503.

## Maintenance

While the setting \`maintenance.enabled\` is true, everything except health, login and logout is a 503 for all but admins.

## Headers

Every answer carries \`X-Request-Id\`: your own if it is well-formed, else a new one. Log lines, events and deliveries carry it
  too; if you sent your own, the log line of the request has that of the gateway as \`gateway_request_id\`. Every answer carries
  \`X-Content-Type-Options: nosniff\` and \`Strict-Transport-Security\`.

## Mails

A mail is sent at most once, and at most three of a kind an hour to one mailbox (\`name+anything@\` is \`name@\`); more are dropped
  silently. Above 1,000 confirmations of the newsletter, 500 of addresses or 500 password resets an hour, the next ones are sent
  later. A mail whose sending was interrupted is not sent again: the user asks for another.

## Webhooks

Deliveries carry \`Signature\`, the hex HMAC-SHA256 of the body keyed with the secret of the subscription, and the headers of
  [Standard Webhooks](https://www.standardwebhooks.com). A delivery is sent at most once and never repeated; one that was
  interrupted ends as failed. A write of a post fires at most one event of its own; if the post was due but not yet announced,
  its \`published\` event comes as well. A subscription with \`quiet_seconds\` gets one event \`batch\` for all that was
  collected; with \`headers\` and a \`body\` of its own it starts a build at Netlify, GitHub, GitLab and others.

This document is \`GET /openapi.json\`: without an envelope, counted as a public read, open in maintenance.
`.trim()
