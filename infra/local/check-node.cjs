// Says so in words when Node is too old to run the rest: loaded before it, and kept to what old versions understand.
var oldest = 24
var running = process.versions.node

if (Number(running.split('.')[0]) < oldest) {
  console.error(
    'This needs Node ' +
      oldest +
      ' or newer, and this is Node ' +
      running +
      '. `npm ci` brings its own where there is one for\n' +
      'the platform (node_modules/.bin/node, used by `npm start`); for others install it from https://nodejs.org',
  )
  process.exit(1)
}
