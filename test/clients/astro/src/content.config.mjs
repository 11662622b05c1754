// A collection of Astro. Its loader keeps posts and cursor in Astro's own store, in node_modules/.astro.
import { defineCollection } from 'astro:content'
import { pull } from '../../pull.mjs'

const loader = {
  name: 'headless-content-service',
  load: async ({ store, meta, generateDigest }) => {
    const copy = {
      set: (id, data) => store.set({ id: String(id), data, digest: generateDigest(data) }),
      delete: id => store.delete(String(id)),
      clear: () => store.clear(),
    }
    meta.set('cursor', await pull(copy, meta.get('cursor')))
  },
}

export const collections = { posts: defineCollection({ loader }) }
