import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { isPublicAddress } from './address.ts'
import { Dialer, EgressRefused } from './dialer.ts'

const dialerTo = (...addresses: string[]) =>
  new Dialer({
    allowPrivate: [],
    resolve: async () => addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
  })
const refusal = (code: EgressRefused['code']) => (error: unknown) =>
  error instanceof EgressRefused && error.code === code

suite('the guarded dialer', () => {
  test('knows public addresses from those that lead inside', () => {
    for (const address of ['93.184.216.34', '8.8.8.8', '2606:2800:220:1::1'])
      assert.equal(isPublicAddress(address), true, address)
    for (const address of [
      '127.0.0.1',
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '224.0.0.1',
      '255.255.255.255',
      '192.0.2.1',
      '198.18.0.1',
      '::1',
      '::',
      'fe80::1',
      'fc00::1',
      '::ffff:127.0.0.1',
      '::ffff:10.0.0.1',
      '64:ff9b::a00:1',
      '2002:a00:1::',
      '2001::1',
      '::127.0.0.1',
      'ff02::1',
      'fec0::1',
      '4000::1',
      'nonsense',
      '',
    ])
      assert.equal(isPublicAddress(address), false, address)
  })

  test('refuses a name when any of its answers is private', async () => {
    await assert.rejects(dialerTo('10.0.0.1').decide('inside.example', 80), refusal('private_address'))
    await assert.rejects(
      dialerTo('93.184.216.34', '192.168.0.1').decide('both.example', 443),
      refusal('private_address'),
    )
    await assert.rejects(
      dialerTo('93.184.216.34', '::1').decide('both.example', 443),
      refusal('private_address'),
    )
    assert.equal(await dialerTo('93.184.216.34').decide('outside.example', 443), '93.184.216.34')
  })

  test('refuses public addresses of this machine without revealing what a name resolves to', async () => {
    const own = new Dialer({
      allowPrivate: [],
      ownAddresses: () => ['93.184.216.34', '2606:2800:220:1:0:0:0:1'],
      resolve: async host => [
        host === 'six.example'
          ? { address: '2606:2800:220:1::1', family: 6 }
          : { address: '93.184.216.34', family: 4 },
      ],
    })
    for (const host of ['me.example', 'six.example', '93.184.216.34'])
      await assert.rejects(own.decide(host, 443), refusal('private_address'), host)
    await assert.rejects(
      dialerTo('10.0.0.7').decide('db.inside.example', 80),
      error => !/10\.0\.0\.7/.test(String(error)),
    )
  })

  test('resolves a name once, so that a second answer cannot differ', async () => {
    let asked = 0
    const dialer = new Dialer({
      allowPrivate: [],
      resolve: async () => {
        asked++
        return [{ address: asked === 1 ? '93.184.216.34' : '127.0.0.1', family: 4 }]
      },
    })
    assert.equal(await dialer.decide('rebinding.example', 80), '93.184.216.34')
    assert.equal(asked, 1)
  })

  test('every spelling of a private address is refused', async () => {
    for (const spelling of [
      'http://2130706433/',
      'http://0x7f000001/',
      'http://0177.0.0.1/',
      'http://127.1/',
      'http://[::ffff:7f00:1]/',
      'http://[::1]/',
      'http://169.254.169.254/',
    ]) {
      await assert.rejects(
        dialerTo('93.184.216.34').decide(new URL(spelling).hostname, 80),
        refusal('private_address'),
        spelling,
      )
    }
  })

  test('allows only ports 80 and 443, and reports a name without an address', async () => {
    await assert.rejects(dialerTo('93.184.216.34').decide('outside.example', 22), refusal('port'))
    await assert.rejects(
      new Dialer({
        allowPrivate: [],
        resolve: async () => {
          throw new Error('ENOTFOUND')
        },
      }).decide('nowhere.example', 80),
      refusal('dns'),
    )
    await assert.rejects(dialerTo().decide('empty.example', 80), refusal('dns'))
  })

  test('a name with a dead address is reached at its next one', async () => {
    const server = createServer(socket => socket.on('error', () => undefined).end('hello'))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const dialer = new Dialer({
      allowPrivate: ['two.example:*'],
      resolve: async () => [
        { address: '127.0.0.2', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
    })
    const socket = await dialer.dial('two.example', port)
    assert.equal(socket.remoteAddress, '127.0.0.1')
    socket.destroy()
    await new Promise(resolve => server.close(resolve))
  })

  test('in a trial a refusal names the setting that allows the address', async () => {
    const trial = new Dialer({ allowPrivate: [], namesSetting: true, ownAddresses: () => ['1.2.3.4'] })
    for (const [host, port, remedy] of [
      ['[::1]', 443, ' (VERIFIER_ALLOW_PRIVATE=::1:443 allows it)'],
      ['localhost', 3000, ' (VERIFIER_ALLOW_PRIVATE=localhost:3000 allows it)'],
      ['1.2.3.4', 443, ''],
    ] as const) {
      const error: Error = await trial.decide(host, port).then(assert.fail, (refused: Error) => refused)
      assert.equal(/ \(.*|$/.exec(error.message)?.[0], remedy)
    }
  })

  test('an allowed private address is dialled, on its port only', async () => {
    const server = createServer(socket => socket.on('error', () => undefined).end('hello'))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const socket = await new Dialer({ allowPrivate: [`127.0.0.1:${port}`] }).dial('127.0.0.1', port)
    socket.on('error', () => undefined).destroy()
    await assert.rejects(
      new Dialer({ allowPrivate: [`127.0.0.1:${port}`] }).decide('127.0.0.1', port + 1),
      refusal('port'),
    )
    assert.equal(
      await new Dialer({ allowPrivate: ['127.0.0.1:*'] }).decide('127.0.0.1', port + 1),
      '127.0.0.1',
    )
    await new Promise(resolve => server.close(resolve))
    await assert.rejects(
      new Dialer({ allowPrivate: ['127.0.0.1:*'] }).dial('127.0.0.1', port),
      refusal('unreachable'),
    )
  })
})
