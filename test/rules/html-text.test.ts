// The text of a body, the excerpt and the reading time.
import { describe, expect, it } from 'vitest'
import { excerptOf, readingTimeOf, textOf } from '../../shared/posts/html-text.ts'

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

  it.each([
    ['<p>a <video src="x"><p>No video.</p><track></video>b</p>', 'a b'],
    ['<audio>No sound.</audio><iframe src="x"><p>No frames.</p></iframe>b', 'b'],
    ['<noscript><iframe src="x"></iframe>No script.</noscript><canvas>Chart</canvas>b', 'b'],
    ['<template><p>a</p><template>b</template>c</template>d', 'd'],
    ['<object data="a"><object data="b"><img alt="c">d</object>e</object>f', 'f'],
    ['<VIDEO><b>a</b></VIDEO>b<input list="l"><datalist id="l"><option>c</option></datalist>', 'b'],
    ['<title>Site</title><p>a</p><noembed>b</noembed><noframes>c</noframes>', 'a'],
    ['<svg><title>Sales</title><text>2026</text></svg><p>a</p>', 'Sales 2026 a'],
    ['<math><semantics><mi>x</mi><annotation encoding="x">\\x</annotation></semantics></math>', 'x'],
    ['<video>a<script>"</video>"</script>b</video>c', 'c'],
    ['<div><video src="x"/></div><p>a</p>', 'a'],
    ['<p>a <video src="x">b</p><p>c</p>', 'a c'],
    ['a<video>never closed<p>at all', 'a'],
    ['a<svg><video/><g/></svg>b', 'a b'],
  ])('returns of %j what a reader sees, %j', (html, text) => {
    expect(textOf(html)).toBe(text)
  })

  it('reads hundreds of thousands of unclosed tags in linear time', () => {
    expect(textOf(`a${'<b>'.repeat(300_000)}b${'</i>'.repeat(250_000)}c`)).toBe('abc')
  })
})

describe('excerptOf', () => {
  it.each([
    ['<h2>It works</h2><p>This post came.</p><p>Change it</p>', 'It works This post came. Change it'],
    ['<p>He said “yes”</p><p>Both (left)</p><p>soon</p>', 'He said “yes” Both (left) soon'],
    ['<ul><li>one</li>\n<li>two,</li><li>three</li></ul>', 'one two, three'],
    ['<p>Road 1<br>Town</p>', 'Road 1 Town'],
    ['<p>a <b>b</b> c</p><script>no</script> d<style>no</style> e', 'a b c d e'],
    ['<p>你好。</p><p>世界</p><p>和平</p>', '你好。 世界 和平'],
    ['<p>Bought</p><p>– said Ada</p><div> <p></p></div>', 'Bought – said Ada'],
    ['<p>one<x-y>two</x-y><svg><g><text>three</text></g></svg></p>', 'one two three'],
  ])('returns the excerpt of %j as %j', (html, excerpt) => {
    expect(excerptOf(textOf(html))).toBe(excerpt)
  })

  it('returns a text of up to 160 characters as it is', () => {
    expect(excerptOf('x'.repeat(160))).toBe('x'.repeat(160))
    expect(excerptOf('🚀'.repeat(160))).toBe('🚀'.repeat(160))
  })

  it('cuts a longer text after a word, without an ellipsis', () => {
    expect(excerptOf(`${'word '.repeat(31)}seventh end`)).toBe(`${'word '.repeat(31).trim()}`)
    expect(excerptOf(`${'a'.repeat(159)} b c`)).toBe('a'.repeat(159))
    expect(excerptOf(`${'a'.repeat(160)} b c`)).toBe('a'.repeat(160))
  })

  it('cuts inside a word only if the first word is too long', () => {
    expect(excerptOf('x'.repeat(300))).toBe('x'.repeat(160))
    expect(excerptOf('🚀'.repeat(300))).toBe('🚀'.repeat(160))
    expect(excerptOf(`東京 ${'都'.repeat(300)}`)).toBe('東京')
  })

  it.each([
    ['a family', '👩‍👩‍👧‍👦', 22],
    ['a flag', '🇩🇪', 80],
    ['a skin tone', '👍🏽', 80],
    ['a key', '1️⃣', 53],
    ['a letter with marks', 'ệ'.normalize('NFD'), 53],
    ['a syllable of Hangul', '각'.normalize('NFD'), 53],
    ['a syllable of Devanagari', 'क्षि', 40],
  ])('never cuts inside %s', (_what, cluster, count) => {
    expect(excerptOf(cluster.repeat(200))).toBe(cluster.repeat(count))
    expect(excerptOf(`${'x'.repeat(159)}${cluster} y`)).toBe('x'.repeat(159))
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

  it.each([
    ['Chinese', '漢字', 250, 1],
    ['Chinese', '漢字', 251, 2],
    ['Chinese of other planes', '𠮷', 1_001, 3],
    ['Japanese', 'ひらがなとカー', 143, 3],
    ['Thai', 'ภาษาไทย', 143, 3],
    ['Thai with marks', 'ที่', 334, 3],
    ['Lao', 'ພາສາລາວ', 143, 3],
    ['Khmer', 'ភាសាខ្មែរ', 112, 3],
    ['Burmese', 'မြန်မာဘာသာ', 101, 3],
    ['Korean, which has spaces', '한국어', 1_000, 1],
  ])('counts 500 characters a minute of %s', (_script, text, count, minutes) => {
    expect(readingTimeOf(text.repeat(count))).toBe(minutes)
  })

  it('rounds up the words and the characters of a mixed text together', () => {
    const words = 'word '.repeat(100)
    expect(readingTimeOf(`${words}${'漢'.repeat(250)}`)).toBe(1)
    expect(readingTimeOf(`${words}${'漢'.repeat(251)}`)).toBe(2)
  })

  it('counts a word between such characters, but not their marks of punctuation', () => {
    expect(readingTimeOf('「漢」。！'.repeat(500))).toBe(1)
    expect(readingTimeOf('漢a'.repeat(1_000))).toBe(7)
    expect(readingTimeOf('漢Node.js'.repeat(1_000))).toBe(7)
  })
})

describe('a hostile body', () => {
  const LENGTH = 200_000
  const filled = (part: string) => part.repeat(Math.ceil(LENGTH / part.length))
  const plain = filled('<p>Some words of a post, with a <a href="x">link</a>.</p>\n')

  function cpuOf(html: string): number {
    const before = process.threadCpuUsage()
    const text = textOf(html)
    excerptOf(text)
    readingTimeOf(text)
    const { user, system } = process.threadCpuUsage(before)
    return user + system
  }

  it.each([
    ['tags within one that hides them', `<video>${filled('<b>')}`],
    ['hiding tags in turns', filled('<template><video><object>')],
    ['nested and closed ones', `${filled('<object>')}${filled('</object>')}`],
    ['tags of different names', `<video>${Array.from({ length: 120_000 }, (_, n) => `<x${n}>`).join('')}`],
    ['comments', filled('<!--')],
    ['script', filled('<script></scrip')],
    ['combining marks', `a${filled('\u0300\u0316')}`],
    ['characters and words in turns', filled('漢 a')],
    ['characters of a script without spaces', filled('漢')],
    ['ligatures of eighteen letters', filled('\ufdfa')],
  ])('of %s takes at most twenty times the time of a plain one', (_what, html) => {
    cpuOf(plain)
    expect(cpuOf(html)).toBeLessThan(20 * cpuOf(plain))
  })
})
