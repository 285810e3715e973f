import { at, JWT, SHA256, uuid } from './constants.ts'

/** Examples of runs, by the name of the schema. */
export const RUN_VALUES = {
  Execution: {
    status: 'SUCCEEDED',
    payment: 'RELEASED',
    error: null,
    attempts: 1,
    deadline: null,
    allowedActions: [],
    input: { repository: 'https://example.com/app.git' },
    output: { markdown: '# Version 2' },
  },
  RunDebugBundle: {
    timeline: [
      {
        at: at(12, '10:05'),
        subject: 'run',
        event: 'succeed',
        from: 'RUNNING',
        to: 'SUCCEEDED',
        actor: 'caller',
        details: {},
      },
    ],
    request: {
      type: 'run.requested',
      runId: uuid('f2'),
      input: { repository: 'https://example.com/app.git' },
    },
    response: { status: 'SUCCEEDED', output: { markdown: '# Version 2' }, error: null },
    deliveryAttempts: [
      {
        number: 1,
        startedAt: at(12, '10:04'),
        endedAt: at(12, '10:05'),
        outcome: 'SUCCEEDED',
        httpStatus: 200,
        durationMs: 812,
        responseBytes: 40,
        responseSha256: SHA256,
      },
    ],
    versions: { bundle: '1.0', api: '1.0.0', generatedAt: at(12, '10:06') },
    manifest: { run: SHA256 },
    signature: { alg: 'EdDSA', kid: 'dTFHcG9fRXhhbXBsZQ', jws: JWT },
  },
}
