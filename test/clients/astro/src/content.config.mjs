// A collection of Astro. Its loader keeps posts and cursor in Astro's own store, in node_modules/.astro.
import { defineCollection } from 'astro:content'
import { pull } from '../../pull.mjs'

const loader = {
  name: 'headless-content-service',
  load: async ({ store, meta, generateDigest }) => {
    const changes = []
    const copy = {
      set: (id, data) =>
        changes.push(() => store.set({ id: String(id), data, digest: generateDigest(data) })),
      delete: id => changes.push(() => store.delete(String(id))),
      clear: () => changes.push(() => store.clear()),
    }
    const cursor = await pull(copy, meta.get('cursor'))
    // All at once: Astro 5 may lose what is set while it saves earlier entries.
    for (const apply of changes) apply()
    meta.set('cursor', cursor)
  },
}

export const collections = { posts: defineCollection({ loader }) }
