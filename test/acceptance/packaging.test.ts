import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test, type TestContext } from 'node:test'
import { DCLinter } from 'dclint'
import { validate } from 'dockerfile-utils'
import { parse, parseAllDocuments } from 'yaml'
import { settings } from '#platform/kernel/config'
import { isRecord } from '#platform/kernel/unknown'
import { readStartScript } from '#test'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => readFile(join(ROOT, 'deploy', file), 'utf8')

/** Runs a tool of this machine; null, with a line in the report, where it is not installed. */
function runTool(
  t: TestContext,
  tool: string,
  args: string[],
): { status: number | null; output: string } | null {
  const { error, status, stdout, stderr } = spawnSync(tool, args, { encoding: 'utf8' })
  if (!error) return { status, output: `${stdout}${stderr}` }
  t.diagnostic(`${tool} is not installed: its check of the file is left out`)
  return null
}

/** The directives of a unit: a section and a name have one value or, repeated, several. */
function directivesOf(unit: string): Map<string, string[]> {
  const directives = new Map<string, string[]>()
  let section = ''
  for (const line of unit.split('\n').filter(each => each && !each.startsWith('#'))) {
    const [, title] = /^\[(\w+)\]$/.exec(line) ?? []
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
    assert.ok(title ?? name, `neither a section nor a directive: ${line}`)
    if (title) section = title
    else directives.set(`${section}.${name}`, [...(directives.get(`${section}.${name}`) ?? []), value])
  }
  return directives
}

/** What the schema of the Compose Specification and the rules of dclint say of a compose file. */
function composeFindings(file: string): string[] {
  const linter = new DCLinter({
    rules: {
      // The build is named with `image`, and the order is that of reading.
      'no-build-and-image': 0,
      'service-image-require-explicit-tag': 0,
      'service-keys-order': 0,
      'services-alphabetical-order': 0,
    },
    exclude: [],
    quiet: false,
    debug: false,
  })
  return linter
    .lintFiles([file], false)
    .flatMap(({ messages }: { messages: { rule: string; message: string }[] }) =>
      messages.map(({ rule, message }) => `${rule}: ${message}`),
    )
}

suite('the files of deploy/', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-deploy-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  test('the Dockerfile has no mistake, and starts the service as npm start does, without root', async () => {
    const text = await read('Dockerfile')
    assert.deepEqual(validate(text), [])
    assert.notDeepEqual(validate('FROM node\nRUNN npm ci'), [], 'the check finds nothing')
    const command = JSON.parse(/^CMD (\[.*\])$/m.exec(text)?.[1] ?? '') as string[]
    assert.deepEqual(command, ['node', ...readStartScript().options, 'server/main.ts'])
    assert.match(text, /^FROM \S+ AS build$[\s\S]*^FROM (?!node)\S+$[\s\S]*^USER svc$[\s\S]*^HEALTHCHECK /m)
    assert.match(text, /^ENTRYPOINT \["tini", "--"\]$/m)
    // Tests of the health check would need a daemon: its program is parsed at least.
    const program = /CMD \["node", "-e", "(.*)"\]/.exec(text)?.[1]
    assert.ok(program?.includes('/healthz'))
    assert.equal(spawnSync(process.execPath, ['--check', '-'], { input: program }).status, 0)
  })

  test('the image gets every file that the service loads, and no tests, data or secrets', async () => {
    const rules = (await read('Dockerfile.dockerignore')).split('\n').filter(rule => /^[^#\s]/.test(rule))
    assert.equal(rules[0], '*')
    const included = rules.filter(rule => rule.startsWith('!')).map(rule => rule.slice(1))
    for (const path of included) assert.ok(existsSync(join(ROOT, path)), path)
    for (const needed of [
      'bin',
      'docs',
      'packages',
      'server',
      'web',
      'package.json',
      'package-lock.json',
      '.npmrc',
    ])
      assert.ok(included.includes(needed), needed)
    for (const path of ['.git', '.data', '.env', 'test', 'node_modules', 'deploy'])
      assert.ok(!included.includes(path), path)
    for (const rule of ['**/*.test.ts', '**/node_modules', '**/.data']) assert.ok(rules.includes(rule), rule)
  })

  test('the SDK that svc loads needs no generated file, which a checkout does not have', async () => {
    for await (const file of glob('packages/sdk/src/*.ts', { cwd: ROOT })) {
      const code = stripTypeScriptTypes(await readFile(join(ROOT, file), 'utf8'))
      assert.doesNotMatch(code, /\/schema\.ts'/, file)
    }
  })

  test('the compose file starts the service after its databases, hardened and on loopback', async t => {
    const text = await read('compose.yaml')
    const { services, volumes } = parse(text, { strict: true, uniqueKeys: true }) as {
      services: Record<string, Record<string, unknown>>
      volumes: Record<string, unknown>
    }
    const { svc = {}, ...others } = services
    assert.deepEqual(Object.keys(others), ['postgres', 'redis'])
    assert.deepEqual(svc.depends_on, {
      postgres: { condition: 'service_healthy' },
      redis: { condition: 'service_healthy' },
    })
    assert.deepEqual(
      [svc.ports, svc.read_only, svc.cap_drop, svc.security_opt],
      [['127.0.0.1:3000:3000'], true, ['ALL'], ['no-new-privileges:true']],
    )
    for (const [name, { healthcheck, image }] of Object.entries(others)) {
      assert.ok(isRecord(healthcheck) && Array.isArray(healthcheck.test), name)
      assert.match(String(image), /^\w+:\d+-\w+$/)
    }
    const mounted = Object.values(services).flatMap(service => (service.volumes ?? []) as string[])
    assert.deepEqual(new Set(mounted.map(each => each.split(':')[0])), new Set(Object.keys(volumes)))
    // Every setting of deploy/.env arrives, except what the file itself decides.
    assert.deepEqual(svc.env_file, [{ path: '.env', required: false }])
    const decided = 'HOST PORT SVC_DATA_DIR DATABASE_URL REDIS_URL PLAINTEXT_HOSTS PUBLIC_URL'.split(' ')
    assert.deepEqual(Object.keys(svc.environment ?? {}), decided)
    assert.ok(decided.every(name => name in settings))
    assert.deepEqual(composeFindings(join(ROOT, 'deploy/compose.yaml')), [])
    const wrong = join(folder, 'compose.yaml')
    await writeFile(wrong, text.replace('stop_grace_period: 60s', 'stop_grace_time: 60s'))
    assert.match(composeFindings(wrong).join(), /^invalid-schema: .*"\/services\/svc".*additional properties/)
    const copy = join(folder, 'copy.yaml')
    await writeFile(copy, text)
    await writeFile(join(folder, '.env'), 'POSTGRES_PASSWORD=secret\nTRUSTED_PROXIES=10.0.0.1\nPORT=8080\n')
    const checked = runTool(t, 'docker-compose', ['-f', copy, 'config'])
    if (!checked) return
    assert.equal(checked.status, 0, checked.output)
    assert.match(checked.output, /TRUSTED_PROXIES: "?10\.0\.0\.1/)
    assert.match(checked.output, /PORT: "?3000/)
  })

  test('the systemd unit is valid, forwards signals and grants the service little', async t => {
    const unit = await read('svc.service')
    const directives = directivesOf(unit)
    const value = (name: string) => directives.get(`Service.${name}`)?.at(-1)
    const command = ['/opt/svc/node_modules/.bin/node', ...readStartScript().options, 'server/main.ts']
    assert.equal(value('ExecStart'), command.join(' '))
    for (const [name, expected] of [
      ['Type', 'exec'],
      ['User', 'svc'],
      ['KillMode', 'mixed'],
      ['Restart', 'on-failure'],
      ['RestartPreventExitStatus', '78'],
      ['NoNewPrivileges', 'yes'],
      ['CapabilityBoundingSet', ''],
      ['ProtectSystem', 'strict'],
      ['ProtectHome', 'yes'],
      ['PrivateTmp', 'yes'],
      ['RestrictSUIDSGID', 'yes'],
    ])
      assert.equal(value(name ?? ''), expected, name)
    // The drain, the end of background work and that of PostgreSQL.
    assert.ok(Number(value('TimeoutStopSec')) > 8 + 30 + 30)
    // The programs of the unit must exist: those of this checkout.
    const file = join(folder, 'svc.service')
    await writeFile(file, unit.replaceAll('/opt/svc', ROOT))
    const verified = runTool(t, 'systemd-analyze', ['verify', '--man=no', file])
    if (!verified) return
    assert.deepEqual([verified.status, verified.output], [0, ''])
    const rated = runTool(t, 'systemd-analyze', ['security', '--offline=true', file])
    const [, exposure] = /exposure level for \S+: ([\d.]+)/.exec(rated?.output ?? '') ?? []
    assert.ok(Number(exposure) <= 3, rated?.output)
    await writeFile(file, unit.replace('KillMode=mixed', 'KillMode=never'))
    assert.notEqual(runTool(t, 'systemd-analyze', ['verify', '--man=no', file])?.output, '')
  })

  test('health checks, variables and volumes of the files exist in the service', async () => {
    const { paths } = JSON.parse(await readFile(join(ROOT, 'openapi/openapi.json'), 'utf8')) as {
      paths: Record<string, object>
    }
    const files = ['Dockerfile', 'Caddyfile', 'compose.yaml', 'nginx.conf', 'svc.service']
    const texts = await Promise.all([...files, 'helm/svc/templates/deployment.yaml'].map(read))
    const probes = texts.flatMap(text => text.match(/\/(?:health|ready)\w*/g) ?? [])
    assert.ok(probes.length >= 5)
    for (const probe of probes) assert.ok(probe in paths, probe)
    const [image = '', , , , unit = ''] = texts
    const [, variables = ''] = /^ENV ([\s\S]*?[^\\])\n/m.exec(image) ?? []
    const assigned = (directivesOf(unit).get('Service.Environment') ?? []).join(' ')
    const names = [...`${variables} ${assigned}`.matchAll(/(\w+)=/g)].map(([, name = '']) => name)
    assert.ok(names.length >= 7)
    const script = readStartScript()
    // PATH is read by the shell, those of the start script by Node and the C library.
    for (const name of names) assert.ok(name in settings || name === 'PATH' || name in script.env, name)
    for (const [name, value] of Object.entries(script.env))
      for (const assignments of [variables, assigned])
        assert.ok(name === 'NODE_COMPILE_CACHE' || assignments.includes(`${name}=${value}`), name)
    const [, volume = ''] = /^VOLUME (\S+)$/m.exec(image) ?? []
    assert.match(variables, new RegExp(`SVC_DATA_DIR=${volume}/`))
    for (const text of texts.filter((_, at) => at === 2 || at === 5))
      assert.match(text, new RegExp(`(?:data:|mountPath: )${volume}\\b`))
  })

  test('logrotate, Caddy and nginx accept their files, where they are installed', async t => {
    const rotation = join(folder, 'logrotate.conf')
    await writeFile(rotation, (await read('logrotate.conf')).replaceAll('/var/log/svc', folder), {
      mode: 0o644,
    })
    await writeFile(join(folder, 'svc.log'), 'a line\n')
    const rotated = runTool(t, 'logrotate', ['--force', '--state', join(folder, 'state'), rotation])
    if (rotated) {
      assert.equal(rotated.status, 0, rotated.output)
      assert.equal(await readFile(join(folder, 'svc.log'), 'utf8'), '')
      assert.equal(await readFile(join(folder, 'svc.log.1'), 'utf8'), 'a line\n')
    }
    const caddyfile = join(ROOT, 'deploy/Caddyfile')
    const caddy = runTool(t, 'caddy', ['validate', '--adapter', 'caddyfile', '--config', caddyfile])
    if (caddy) assert.equal(caddy.status, 0, caddy.output)
    const main = join(folder, 'nginx.conf')
    const site = join(ROOT, 'deploy/nginx.conf')
    await writeFile(
      main,
      `pid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp { access_log off; include ${site}; }\n`,
    )
    const nginx = runTool(t, 'nginx', ['-t', '-c', main])
    // Without the certificate of the example nginx gets as far as that.
    if (nginx) assert.match(nginx.output, /test is successful|cannot load certificate/)
  })

  test('over http the examples for proxies redirect pages only: a program gets the error envelope', async () => {
    const caddy = await read('Caddyfile')
    const nginx = await read('nginx.conf')
    const bodies = [
      /^http:[^{]+\{\n\t@page header Accept text\/html\*\n\tredir @page .* 301\n.*\n\trespond `(.*)` 403\n\}/m.exec(
        caddy,
      ),
      /listen 80;[^}]*if \(\$is_page\) \{\s*return 301 [^}]*\}[^}]*return 403 '([^']*)';/.exec(nginx),
    ].map(match => JSON.parse(match?.[1] ?? 'null') as object)
    for (const body of bodies)
      assert.deepEqual(Object.keys(body), ['statusCode', 'message', 'error', 'code', 'hint'])
    assert.deepEqual(bodies[0], bodies[1])
  })

  test('the templates of the Helm chart use values that exist, and close what they open', async t => {
    const chart = join(ROOT, 'deploy/helm/svc')
    const values = parse(await read('helm/svc/values.yaml')) as Record<string, unknown>
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    assert.equal((parse(await read('helm/svc/Chart.yaml')) as { appVersion: string }).appVersion, version)
    assert.deepEqual(
      Object.keys(values.settings as object).filter(name => !(name in settings)),
      [],
    )
    const defined = new Set<string>()
    const included = new Set<string>()
    const files = await Array.fromAsync(glob('templates/*', { cwd: chart }))
    assert.ok(files.length >= 4)
    for (const file of files) {
      const text = await read(join('helm/svc', file))
      for (const [, path = ''] of text.matchAll(/\.Values\.([\w.]+)/g))
        assert.notEqual(
          path.split('.').reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), values),
          undefined,
          `${file}: .Values.${path}`,
        )
      const words = [...text.matchAll(/\{\{-? *(\w+)/g)].map(([, word]) => word)
      const opened = words.filter(word => /^(if|range|with|define)$/.test(word ?? ''))
      assert.equal(words.filter(word => word === 'end').length, opened.length, file)
      for (const [, name = ''] of text.matchAll(/define "([\w.]+)"/g)) defined.add(name)
      for (const [, name = ''] of text.matchAll(/include "([\w.]+)"/g)) included.add(name)
      // Without its actions, what remains is YAML.
      const plain = text.replaceAll(/^\s*\{\{-?.*?\}\}\s*$/gm, '').replaceAll(/\{\{.*?\}\}/g, 'value')
      for (const document of file.endsWith('.yaml') ? parseAllDocuments(plain) : [])
        assert.deepEqual(document.errors, [], file)
    }
    assert.deepEqual(included, defined)
    // A value of false or 0 is one that the operator chose. A number of a values file is a float for Helm: 1e+06 as text.
    const deployment = await read('helm/svc/templates/deployment.yaml')
    assert.match(deployment, /if not \(or \(kindIs "invalid" \$value\) \(eq \(toString \$value\) ""\)\)/)
    assert.match(deployment, /ternary \(toJson \$value\) \(toString \$value\) \(kindIs "float64" \$value\)/)
    const chosen = join(folder, 'values.yaml')
    await writeFile(chosen, '{ existingSecret: svc, settings: { A: 0, B: 2000000 } }')
    const rendered = runTool(t, 'helm', ['template', 'svc', chart, '--values', chosen])
    if (rendered) assert.match(rendered.output, /A\n\s+value: "0"\n\s+- name: B\n\s+value: "2000000"/)
    const linted = runTool(t, 'helm', ['lint', chart, '--strict', '--values', chosen])
    if (linted) assert.equal(linted.status, 0, linted.output)
  })
})
