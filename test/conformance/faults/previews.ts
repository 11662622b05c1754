// Faults in previews and batches.
import { changed, type Exchange, type Faults, type Reply } from './fault.ts'

/** What a service would say that tells forged tokens from none. */
function refusing(reply: Reply, { headers }: Exchange): void {
  if (headers['preview-token'] !== undefined) reply.status = 403
}

export const PREVIEW_FAULTS: Faults = {
  'with the header `Preview-Token`: the single post or page as it is now, whatever its state, with `status`; no other token, no cookie':
    {
      'a preview without its status': {
        on: /^GET \/preview$/,
        ...changed('data.status', () => undefined),
        says: '`data.status` is missing',
      },
    },
  'Answers to a preview: `Cache-Control: no-store`, `X-Robots-Tag: noindex`.': {
    'a preview for search engines': {
      on: /^GET \/preview$/,
      after: ({ headers }) => {
        delete headers['x-robots-tag']
      },
      says: 'with a token says no-store',
    },
  },
  'Forged, expired, void, of another record, of a deleted one: the answer is that of no token, in the same calls.':
    {
      'a forged token that is told from none': {
        on: /^GET \/posts\/[^/]+$/,
        after: refusing,
        says: 'with a token that is not valid differs',
      },
    },
  'None changes an answer that a v1 client gets today: new endpoints, optional parameters, new members.': {
    'a preview that counts as a change': {
      on: /^GET \/admin\/posts\/\d+$/,
      ...changed('data.version', () => Math.random()),
      says: 'changed an answer',
    },
  },
  'Each is its own transaction, by the same handlers, in order; one that fails stops none.': {
    'a batch that fails as a whole': {
      on: /^POST \/admin\/batch$/,
      ...changed('data.2.status', () => 422),
      says: '`data.2.status` is 422, and not 200',
    },
  },
  'With an `Idempotency-Key` each operation is idempotent by key and position: the same batch again does what was not done.':
    {
      'a batch that ignores its key': {
        on: /^POST \/admin\/batch$/,
        before: ({ headers }) => {
          delete headers['idempotency-key']
          return undefined
        },
        says: '`data.0.headers.idempotent-replayed` is missing',
      },
    },
}
