import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { createTestDatabase, freePort, type TestDatabase } from '#test'

suite('svc doctor examines the SMTP server', () => {
  let database: TestDatabase
  let smtp: SMTPServer
  let port: number
  let mails = 0
  before(async () => {
    database = await createTestDatabase()
    smtp = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ password }, _session, done) =>
        password === 'right'
          ? done(null, { user: 'mailer' })
          : done(Object.assign(new Error('wrong password'), { responseCode: 535 })),
      onMailFrom: (_address, _session, done) => {
        mails++
        done()
      },
    })
    const server = smtp.listen(0, '127.0.0.1')
    await once(server, 'listening')
    ;({ port } = server.address() as AddressInfo)
  })
  after(async () => {
    await new Promise<void>(resolve => {
      smtp.close(resolve)
    })
    await database.drop()
  })

  /** The lines of `svc doctor`; the browser, which takes seconds, is left out. */
  const doctor = (SMTP_URL: string, more: Record<string, string> = {}) =>
    new Promise<string>(resolve => {
      const { PATH } = process.env
      const env = {
        PATH,
        DATABASE_URL: database.url,
        CHROMIUM_PATH: '/nonexistent',
        SMTP_URL,
        PUBLIC_URI: 'https://svc.example',
        ...more,
      }
      execFile(join(import.meta.dirname, 'svc'), ['doctor'], { env }, (_, out, err) => resolve(out + err))
    })

  test('that accepts the sign-in, and sends no mail', async () => {
    assert.match(
      await doctor(`smtp://mailer:right@127.0.0.1:${port}`),
      /^ok {6}the SMTP server 127\.0\.0\.1:\d+ accepts the sign-in$/m,
    )
    assert.equal(mails, 0)
  })

  test('that refuses the sign-in, or is not there', async () => {
    const refused = await doctor(`smtp://mailer:wrong@127.0.0.1:${port}`)
    assert.match(refused, /^FINDING the SMTP server 127\.0\.0\.1:\d+ cannot be used \(.*535.*\): .*SMTP_URL/m)
    assert.doesNotMatch(refused, /mailer:wrong/)
    assert.match(refused, /^FINDING PUBLIC_URI is no setting and is ignored: did you mean PUBLIC_URL\?$/m)
    assert.match(
      await doctor(`smtp://mailer:right@127.0.0.1:${await freePort()}`),
      /^FINDING the SMTP server .* cannot be used \(.*ECONNREFUSED.*\)/m,
    )
  })

  test('that is not set in a sandbox', async () => {
    assert.match(await doctor(''), /^ok {6}without SMTP_URL mails are shown at \/sandbox\/mail$/m)
  })

  test('beside a file for the heads of the chains, which it does not make', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-anchors-'))
    try {
      const at = (path: string) => doctor('', { LEDGER_ANCHOR_FILE: join(folder, path) })
      assert.match(
        await at('heads'),
        /^ok {6}the heads of the chains can be appended to LEDGER_ANCHOR_FILE$/m,
      )
      assert.deepEqual(await readdir(folder), [])
      for (const [path, reason] of [
        ['missing/heads', 'ENOENT'],
        ['.', 'is a folder'],
      ] as const)
        assert.match(
          await at(path),
          new RegExp(`^FINDING LEDGER_ANCHOR_FILE cannot be written \\(.*${reason}.*\\)`, 'm'),
        )
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
