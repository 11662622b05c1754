// A collection of Astro, filled by a loader.
import { defineCollection } from 'astro:content'
import { readPosts } from '../../read-posts.mjs'

const posts = defineCollection({
  loader: async () => (await readPosts()).map(post => ({ ...post, id: post.slug })),
})

export const collections = { posts }
