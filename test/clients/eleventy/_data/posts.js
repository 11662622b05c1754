// Eleventy's global data: one page for each post.
export { readPosts as default } from '../../read-posts.mjs'
