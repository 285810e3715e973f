import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { samplesOf, UPLOAD, type Sample } from '../../server/app/docs/reference/samples.ts'
import { referencePages } from '../../server/app/docs/reference/text.ts'
import { describeApi } from '../../bin/openapi.ts'
import { dereference } from '#test'
import { sendCurl } from './support/curl.ts'
import { Python } from './support/python.ts'
import { RecordingServer, type DereferencedDocument } from './support/recording.ts'
import { requestsOf } from './support/shell.ts'
import { compile, runPrograms } from './support/typescript.ts'

/** Every sample of the API reference is run: it reaches its operation, with a request that the document allows. */
suite('the samples of the API reference', () => {
  let folder: string
  let server: RecordingServer
  let samples: { id: string; sample: Sample }[]
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-reference-'))
    await writeFile(join(folder, UPLOAD), 'a report')
    const document = await describeApi()
    server = await RecordingServer.open(
      dereference<DereferencedDocument>(JSON.parse(JSON.stringify(document)) as object),
    )
    samples = referencePages(document).flatMap(({ operations }) =>
      operations.flatMap(request =>
        samplesOf(request, server.url).map(sample => ({ id: request.operation.operationId, sample })),
      ),
    )
  })
  after(async () => {
    server.close()
    await rm(folder, { recursive: true })
  })

  const inLanguage = (language: Sample['language']) => {
    const found = samples.filter(({ sample }) => sample.language === language)
    assert.ok(found.length > 340, `${found.length} samples`)
    return found
  }
  /** Each request of the samples since the last call went to the operation of its sample. */
  const assertRecorded = (ids: readonly string[]) => {
    const recorded = server.take()
    assert.deepEqual(
      recorded.filter(({ problems }) => problems.length),
      [],
    )
    assert.deepEqual(
      recorded.map(({ operationId }) => operationId),
      ids,
    )
  }

  test('curl sends what each operation takes', async () => {
    const found = inLanguage('sh')
    const calls = await requestsOf(
      found.map(({ sample }) => sample.code),
      folder,
    )
    for (const [request, ...others] of calls) {
      assert.ok(request && !others.length)
      await (await sendCurl(request)).arrayBuffer()
    }
    assertRecorded(found.map(({ id }) => id))
  })

  test('TypeScript compiles and sends what each operation takes', async () => {
    const found = inLanguage('ts')
    for (const { id, sample } of found) await writeFile(join(folder, `${id}.ts`), sample.code)
    assert.equal(await compile(folder), '')
    const output = await runPrograms(
      folder,
      found.map(({ id }) => `${id}.ts`),
    )
    assert.match(output, /all ran\n$/)
    assertRecorded(found.map(({ id }) => id))
  })

  test('Python sends what each operation takes', async () => {
    const found = inLanguage('python')
    const python = await Python.open()
    try {
      for (const { id, sample } of found) {
        const { error } = await python.run({ code: sample.code, files: { [UPLOAD]: 'a report' } })
        assert.equal(error, null, id)
      }
    } finally {
      await python.close()
    }
    assertRecorded(found.map(({ id }) => id))
  })
})
