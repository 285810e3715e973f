import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { SMTPServer } from 'smtp-server'
import {
  freePort,
  linkTo,
  mailsSettled,
  mailsTo,
  registerHuman,
  startTestService,
  type TestService,
} from '#test'
import { JOB_SECONDS } from '../../kernel/background/jobs.ts'
import { readConfig } from '../../kernel/config.ts'
import { attempt, ATTEMPT_SECONDS, smtpOptions } from './mail.ts'

interface Received {
  from: string
  to: string[]
  text: string
}

/**
 * An SMTP server on loopback; the first mail for whom `busy` is gets a temporary refusal, mails to `refused@` one for
 * good.
 */
async function startSmtp(port: number, host = '127.0.0.1') {
  const received: Received[] = []
  const tries: string[] = []
  const signIns: string[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    allowInsecureAuth: true,
    onAuth({ username = '', password }, _session, done) {
      signIns.push(username)
      return password === 'right'
        ? done(null, { user: username })
        : done(Object.assign(new Error('wrong password'), { responseCode: 535 }))
    },
    onRcptTo({ address }, _session, done) {
      tries.push(address)
      const again = tries.filter(each => each === address).length > 1
      if (address.startsWith('refused'))
        return done(Object.assign(new Error('no such user'), { responseCode: 550 }))
      return done(
        address.startsWith('busy') && !again
          ? Object.assign(new Error('try later'), { responseCode: 451 })
          : null,
      )
    },
    onData(stream, session, done) {
      let text = ''
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        received.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(each => each.address), text })
        done()
      })
    },
  })
  await new Promise<void>(resolve => {
    server.listen(port, host, resolve)
  })
  return {
    received,
    tries,
    signIns,
    close: () =>
      new Promise<void>(resolve => {
        server.close(resolve)
      }),
  }
}

suite('mail by SMTP', () => {
  let service: TestService
  let smtp: Awaited<ReturnType<typeof startSmtp>>
  before(async () => {
    const port = await freePort()
    smtp = await startSmtp(port)
    service = await startTestService({
      SVC_MODE: 'production',
      PUBLIC_URL: 'https://svc.example',
      STRIPE_WEBHOOK_SECRET: 'whsec_5c0ffee55c0ffee55c0ffee55c0ffee5',
      VERIFIER_ALLOW_PRIVATE: '',
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      MAIL_FROM: 'Market <hello@svc.example>',
    })
  })
  after(async () => {
    await service.close()
    await smtp.close()
  })

  const register = (email: string) =>
    service.http('POST', '/auth/register', {
      body: { email, displayName: 'Ada', password: 'correct horse battery staple' },
    })
  async function until<T>(find: () => T | undefined): Promise<T> {
    const deadline = Date.now() + 30_000
    while (Date.now() < deadline) {
      const found = find()
      if (found !== undefined) return found
      await sleep(20)
    }
    throw new Error('it did not happen')
  }
  const mailFor = (email: string) => until(() => smtp.received.find(mail => mail.to.includes(email)))

  test('goes out with text and HTML, from the sender that is set, with links to the public address', async () => {
    assert.equal((await register('ada@example.com')).status, 201)
    const { from, text } = await mailFor('ada@example.com')
    assert.equal(from, 'hello@svc.example')
    assert.match(text, /From: Market <hello@svc\.example>/)
    assert.match(text, /multipart\/alternative/)
    assert.match(text, /https:\/\/svc\.example\/verify\/[\w-]+/)
    assert.match(text, /Message-ID: <[\w-]+@svc\.example>/)
  })

  test('a temporary refusal is tried again, one for good is given up', async () => {
    await register('busy@example.com')
    await mailFor('busy@example.com')
    assert.equal(smtp.tries.filter(each => each === 'busy@example.com').length, 2)
    await register('refused@example.com')
    await until(() => smtp.tries.find(each => each === 'refused@example.com'))
    await mailsSettled(service)
    const { rows } = await service.services.db.pool.query<{ output: string }>(
      `select coalesce(output::text, '') as output from jobs.job`,
    )
    assert.ok(rows.every(row => !row.output.includes('@example.com')))
  })

  test('limits one client to sixty mails an hour without revealing it', async () => {
    await register('grace@example.com')
    // Each sign-up brings a mail.
    await Promise.all(Array.from({ length: 60 }, (_, i) => register(`newcomer${i}@example.com`)))
    await mailsSettled(service)
    const { status } = await service.http('POST', '/auth/forgot-password', {
      body: { email: 'grace@example.com' },
    })
    assert.equal(status, 200)
    await mailsSettled(service)
    assert.ok(
      !smtp.received.some(mail => mail.to.includes('grace@example.com') && mail.text.includes('/reset/')),
    )
  })

  test('there is no outbox to read in production mode', async () => {
    assert.equal((await service.http('GET', '/sandbox/mail')).status, 404)
  })
})

suite('an SMTP server that asks for a password', () => {
  const production = (url: string) =>
    startTestService({
      SVC_MODE: 'production',
      PUBLIC_URL: 'https://svc.example',
      STRIPE_WEBHOOK_SECRET: 'whsec_5c0ffee55c0ffee55c0ffee55c0ffee5',
      VERIFIER_ALLOW_PRIVATE: '',
      SMTP_URL: url,
      LOG_LEVEL: 'silent',
    })
  const waitingMails = async ({ services }: TestService) =>
    (await services.db.pool.query(`select state from jobs.job where name = 'mail.send'`)).rows as {
      state: string
    }[]
  const body = { email: 'ada@example.com', displayName: 'Ada', password: 'correct horse battery staple' }

  test('off this machine gets neither password nor mail in clear text, and the mail waits', async () => {
    const port = await freePort()
    // Another address of the loopback network stands for a server elsewhere.
    const smtp = await startSmtp(port, '127.0.0.2')
    const service = await production(`smtp://mailer:right@127.0.0.2:${port}`)
    try {
      await service.http('POST', '/auth/register', { body })
      await sleep(1500)
      assert.deepEqual([smtp.signIns, smtp.received], [[], []])
      assert.ok((await waitingMails(service)).some(({ state }) => state === 'retry' || state === 'active'))
    } finally {
      await service.close()
      await smtp.close()
    }
  })

  test('and refuses the one that is set loses no mail', async () => {
    const port = await freePort()
    const smtp = await startSmtp(port)
    const service = await production(`smtp://mailer:wrong@127.0.0.1:${port}`)
    try {
      await service.http('POST', '/auth/register', { body })
      while (!smtp.signIns.length) await sleep(20)
      await sleep(300)
      assert.deepEqual(smtp.received, [])
      assert.ok((await waitingMails(service)).some(({ state }) => state === 'retry' || state === 'active'))
    } finally {
      await service.close()
      await smtp.close()
    }
  })
})

test('an SMTP server that stops responding is given up before the job runs again', () => {
  const { connectionTimeout, socketTimeout } = smtpOptions(readConfig({}), 'smtp://127.0.0.1:25')
  assert.ok(connectionTimeout + socketTimeout < ATTEMPT_SECONDS * 1000)
  assert.ok(ATTEMPT_SECONDS < JOB_SECONDS)
})

test('an SMTP server that takes long for each command is given up before it gets the mail', async () => {
  const commands: string[] = []
  const server = createServer(socket => {
    const respond = (line: string) => void setTimeout(() => socket.write(`${line}\r\n`), 200)
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      const [command = ''] = chunk.toString().split(/\s/)
      commands.push(command)
      respond(command === 'DATA' ? '354 Go on' : '250 Ok')
    })
    respond('220 slow.example ESMTP')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const transport = createTransport(smtpOptions(readConfig({}), `smtp://127.0.0.1:${port}`))
  const mail = { from: 'svc@example.com', to: 'ada@example.com', subject: 'Hello', text: 'Hello' }
  const refusal = await attempt(transport, mail, 0.5)
  server.close()
  assert.equal(refusal?.code, 'EABORT')
  assert.ok(commands.includes('EHLO') && !commands.includes('DATA'), commands.join())
})

suite('mail in sandbox mode', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service.close())

  test('is stored sealed and listed by address, newest first', async () => {
    const [one, other] = [await registerHuman(service), await registerHuman(service)]
    await linkTo(service, other.email, 'verify')
    const [mail] = await mailsTo(service, one.email.toUpperCase())
    assert.equal(mail?.to, one.email)
    assert.ok(Date.parse(mail?.sentAt ?? '') <= Date.now())
    const all = await service.http<{ items: { to: string }[] }>('GET', '/sandbox/mail')
    assert.deepEqual(
      all.body.items.map(each => each.to),
      [other.email, one.email],
    )
    assert.deepEqual(await mailsTo(service, 'nobody@example.com'), [])
  })

  test('is a page for people, whose mails run no script', async () => {
    const { email } = await registerHuman(service)
    await linkTo(service, email, 'verify')
    const { status, headers, text } = await service.http('GET', `/sandbox/mail?to=${email}`, {
      headers: { accept: 'text/html,*/*' },
    })
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /text\/html/)
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
    assert.ok(text.includes(email) && text.includes('srcdoc=') && text.includes('&lt;a href='))
  })
})
