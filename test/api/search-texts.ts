// Bodies of posts in many scripts, with searches that match them and searches that do not.

export const TEXTS: [what: string, body: string, matching: string[], others: string[]][] = [
  [
    'words in another case and with other diacritics',
    '<p>Ærøskøbing Straße naïve</p>',
    ['STRASSE', 'naive', 'NAÏVE'],
    ['nave'],
  ],
  [
    'characters given as entities',
    '<p>Caf&eacute; &amp; P&#xE2;tisserie</p>',
    ['café', 'patisserie'],
    ['eacute', 'xe2'],
  ],
  [
    'words with tags inside',
    '<p>dis<b>cover</b>able</p><p>one</p>two',
    ['discoverable', 'two'],
    ['cover', 'onetwo'],
  ],
  [
    'no scripts, comments and attributes',
    '<a href="hidden.example">seen</a><script>unseenly</script><!-- veiled -->',
    ['seen'],
    ['hidden', 'unseenly', 'veiled'],
  ],
  [
    'parts of names with dots and hyphens',
    'io.js state-of-the-art',
    ['io', 'js', 'io.js', 'art state', 'state-of'],
    ['stateof'],
  ],
  ['Japanese', '<p>吾輩は猫である。名前はまだ無い。</p>', ['猫で', '名前', '吾輩は猫'], ['猫前']],
  ['Chinese next to Latin', '使用TypeScript编写', ['编写', 'typescript', '使用'], ['用编']],
  ['Thai', 'ภาษาไทย', ['ภาษา', 'ไทย'], ['ไภ']],
  ['Hindi', 'हिन्दी में खोज', ['हिन्दी', 'खोज', 'में'], ['हन']],
  ['Arabic with and without points', 'مُحَمَّد', ['محمد', 'مُحَمَّد'], ['حمد']],
  ['Korean', '한국어로 검색', ['한국', '검색'], ['국어']],
  [
    'letters with hundreds of marks',
    `ก${'็'.repeat(400)}ข ${'क'.padEnd(600, 'ि')}中文`,
    ['ก็็', '中文'],
    ['ขก'],
  ],
]
