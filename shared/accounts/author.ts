// The public profile of a user, as posts, comments and tickets show it. No I/O.
import * as z from 'zod/mini'

export const Author = z.object({ id: z.int(), name: z.string(), avatar: z.nullable(z.string()) })
export type Author = z.infer<typeof Author>
