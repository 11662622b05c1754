// The text of a body, the excerpt and the reading time.
import { describe, expect, it } from 'vitest'
import { blocksOf, excerptOf, readingTimeOf, textOf } from '../../shared/posts/html-text.ts'

describe('textOf', () => {
  it.each([
    ['', ''],
    ['<p>One</p><p>two</p>', 'One two'],
    ['a<b>b</b>c <em>d</em>', 'abc d'],
    ['one<br>two<br/>three', 'one two three'],
    ['<ul><li>a</li><li>b</li></ul>', 'a b'],
    ['x<script>alert("no")</script>y<style>p{}</style>z', 'x y z'],
    ['a<!-- hidden -->b', 'ab'],
    ['Fish &amp; chips &lt;3 &eacute; &#x1F680;', 'Fish & chips <3 é 🚀'],
    ['  a \n\t b\u00a0c ', 'a b c'],
    ['a<img src="x">b <button>c</button>d<wbr>e', 'ab cde'],
    ['<table><tr><td>a</td><td>b</td></tr></table>', 'a b'],
    ['<H1>Shout</H1><SCRIPT>no</SCRIPT><STYLE>no</STYLE>', 'Shout'],
    ['a < b, I <3 you', 'a < b, I <3 you'],
    ['&copy 2026 &amp;amp; &notanentity;', '© 2026 &amp; ¬anentity;'],
    ['<!-- <p>a</p> -- b -->c<!doctype html><?xml ?>', 'c'],
    ['<p>never closed <b>at all', 'never closed at all'],
    ['a<script>never closed', 'a'],
    ['<svg><style/><text>Chart</text><script/></svg>after', 'Chart after'],
    ['<textarea><b>raw</b></textarea>', '<b>raw</b>'],
    ['stray</p>end</b>s', 'stray ends'],
    ['cut <a href="x', 'cut'],
    ['<p title="a > b">c</p>', 'c'],
    ['<script>if (a </b> b)</script>end', 'end'],
  ])('returns the text of %j as %j', (html, text) => {
    expect(textOf(html)).toBe(text)
  })

  it('reads hundreds of thousands of unclosed tags in linear time', () => {
    expect(textOf(`a${'<b>'.repeat(300_000)}b${'</i>'.repeat(250_000)}c`)).toBe('abc')
  })
})

describe('excerptOf', () => {
  it.each([
    ['<h2>It works</h2><p>This post came.</p><p>Change it</p>', 'It works – This post came. Change it'],
    ['<h1>Why?</h1><p>So that</p>', 'Why? So that'],
    [
      '<p>He said “yes”</p><p>She said “no.”</p><p>Both (left)</p><p>soon</p>',
      'He said “yes” – She said “no.” Both (left) – soon',
    ],
    ['<ul><li>one</li>\n<li>two,</li><li>three</li></ul>', 'one – two, three'],
    ['<p>Road 1<br>Town</p>', 'Road 1 Town'],
    ['<p>a <b>b</b> c</p><script>no</script> d<style>no</style> e', 'a b c – d e'],
    ['<p>你好。</p><p>世界</p><p>和平</p>', '你好。 世界 – 和平'],
    ['<p>Bought</p><p>– said Ada</p><div> <p></p></div>', 'Bought – said Ada'],
    ['<p>one<x-y>two</x-y><svg><g><text>three</text></g></svg></p>', 'one two three'],
  ])('returns the excerpt of %j as %j', (html, excerpt) => {
    expect(excerptOf(blocksOf(html))).toBe(excerpt)
  })

  it('does not end with a dash when it is cut between two blocks', () => {
    expect(excerptOf(['x'.repeat(157), 'more'])).toBe('x'.repeat(157))
  })

  it('returns a text of up to 160 characters as it is', () => {
    expect(excerptOf(['x'.repeat(160)])).toBe('x'.repeat(160))
    expect(excerptOf(['🚀'.repeat(160)])).toBe('🚀'.repeat(160))
  })

  it('cuts a longer text after a word, without an ellipsis', () => {
    expect(excerptOf([`${'word '.repeat(31)}seventh end`])).toBe(`${'word '.repeat(31).trim()}`)
    expect(excerptOf([`${'a'.repeat(159)} b c`])).toBe('a'.repeat(159))
    expect(excerptOf([`${'a'.repeat(160)} b c`])).toBe('a'.repeat(160))
  })

  it('cuts inside a word only if the first word is too long', () => {
    expect(excerptOf(['x'.repeat(300)])).toBe('x'.repeat(160))
    expect(excerptOf(['🚀'.repeat(300)])).toBe('🚀'.repeat(160))
  })
})

describe('readingTimeOf', () => {
  it.each([
    [0, 1],
    [1, 1],
    [200, 1],
    [201, 2],
    [1000, 5],
  ])('for %i words returns %i minutes', (wordCount, minutes) => {
    expect(readingTimeOf(Array.from({ length: wordCount }, () => 'word').join(' '))).toBe(minutes)
  })
})
