import { Payer, Random, type TestService } from '#test'
import { Access, ADMINS } from './tenants/access.ts'
import type { Link } from './generate/chains.ts'
import { Progress, type Found } from './generate/progress.ts'
import { compose, draftOf, type Composer, type Focus, type Recent } from './generate/compose.ts'
import { OPERATIONS, schemaAt, type Operation } from './document/document.ts'
import { judge, type Finding, type Reader } from './replies/judge.ts'
import type { Kind } from './document/kinds.ts'
import { openAdmins, openRefused, openTenant, type Ask } from './tenants/open.ts'
import { Pool } from './tenants/pool.ts'
import type { Registry } from './tenants/registry.ts'
import { sendDraft, textOf, urlOf, type Credential, type Draft, type Reply } from './replies/request.ts'
import { NONE, type Tenant } from './tenants/tenants.ts'
import type { Making } from './generate/values.ts'

function operationNamed(name: string): Operation {
  const operation = OPERATIONS.find(each => each.name === name)
  if (!operation) throw new Error(`no operation ${name}`)
  return operation
}

/** Only their creator can know them: never those of another tenant. */
const SECRET_KIND = /Token$|^(?:voucherCode|certificationPage|apiKey|email|totpSecret)$/
const RECENT = 12
const PROVIDERS = ['openai', 'anthropic', 'deepseek']
/** Resources that an x402 client pays. */
const PAYMENT = /\/pay$/

interface Mails {
  items: { to: string; text: string }[]
}

export interface Judged {
  draft: Draft
  reply: Reply
  findings: Finding[]
}

/** Three tenants and two admins, whose requests follow from one seed. */
export class Scenario implements Composer {
  readonly random: Random
  readonly recent: Recent[] = []
  readonly #service: TestService
  readonly #registry: Registry
  readonly #pool = new Pool()
  readonly #tenants: Tenant[] = []
  #access: Access
  readonly #progress: Progress
  #payer: Payer | undefined
  #lockedOut = 0
  readonly #successes = new Map<string, number>()
  /** Accounts that no admin may end. */
  #survivors = new Set<unknown>()

  private constructor(service: TestService, registry: Registry, seed: number) {
    this.#service = service
    this.#registry = registry
    this.random = new Random(seed)
    this.#access = new Access(this.random, this.#pool, this.#tenants, [])
    this.#progress = new Progress(this.random, index => this.#tenants[index]?.about)
    for (const provider of PROVIDERS) this.#pool.add(ADMINS, 'provider', provider)
  }

  static async open(service: TestService, registry: Registry, seed: number): Promise<Scenario> {
    const scenario = new Scenario(service, registry, seed)
    const admins = await openAdmins(service, scenario.#ask)
    const [admin = NONE] = admins.credentials
    for (let index = 0; index < ADMINS; index++)
      scenario.#tenants.push(await openTenant(scenario.#ask, index, admin))
    scenario.#tenants.push(admins)
    registry.addAdmin(admins.tag)
    const { id } = await scenario.#ask(ADMINS, 'GET /users/me', { credential: admin })
    const own = scenario.#tenants.flatMap(({ about }) => [about.get('user'), about.get('agent')])
    scenario.#survivors = new Set([id, ...own])
    const { refused, suspended } = await openRefused(service, scenario.#ask, admin)
    scenario.#survivors.add(suspended)
    scenario.#access = new Access(scenario.random, scenario.#pool, scenario.#tenants, refused)
    return scenario
  }

  /** The tenants have lost their accounts: the scenario cannot go on. */
  get isOver(): boolean {
    return this.#lockedOut > 25
  }

  /** Sends the next request and judges its reply. */
  async step(only?: readonly Operation[]): Promise<Judged> {
    const link = only ? undefined : this.#progress.next()
    const draft = await this.#paid(link ? this.#draftOfLink(link) : compose(this, only))
    const judged = await this.try(draft)
    const found = this.#learn(draft, judged.reply)
    if (link) this.#progress.goOn(judged.reply.status, found)
    return judged
  }

  #draftOfLink(link: Link): Draft {
    const operation = operationNamed(link.operation)
    const tenant = this.#progress.tenantOf(link) ?? ADMINS
    const credential = this.#access.fitting(operation, tenant)
    const { focus } = this.#progress
    return draftOf(this, operation, { focus, tenant, credential, fixed: link.with ?? {} })
  }

  /** Pays a requested payment now and then, with a signature of a key of its own. */
  async #paid(draft: Draft): Promise<Draft> {
    if (!PAYMENT.test(draft.operation.path) || this.random.chance(0.4)) return draft
    this.#payer ??= await Payer.open(this.#service)
    const header = await this.#payer.header(urlOf(draft)).catch(() => ({}))
    return { ...draft, headers: { ...draft.headers, ...header } }
  }

  /** Sends a request and judges its reply, without learning from it. */
  async try(draft: Draft): Promise<Judged> {
    const reply = await sendDraft(this.#service.baseUrl, draft).catch((error: Error) => error)
    if (reply instanceof Error) {
      const finding = { key: `${draft.operation.name} is not answered`, detail: reply.message }
      return { draft, reply: { status: 0, headers: {}, text: '', ms: 0 }, findings: [finding] }
    }
    if (reply.status < 300) this.#relate(draft)
    return { draft, reply, findings: judge(draft, reply, this.#reader(draft)) }
  }

  successesOf = ({ name }: Operation): number => this.#successes.get(name) ?? 0

  knows = (kind: Kind): boolean => [0, 1, 2, ADMINS].some(each => this.#pool.has(each, kind))

  credentialFor = (operation: Operation, focus: Focus): { tenant: number; credential: Credential } =>
    this.#access.pick(operation, focus)

  making(operation: Operation, index: number, focus: Focus): Making {
    const { tag = '', email = '' } = this.#tenants[index] ?? {}
    return {
      random: this.random,
      operation,
      tag,
      email,
      baseUrl: this.#service.baseUrl,
      identifier: kind => {
        const about = focus.get(kind)
        const isMeant =
          about !== undefined && !this.#endsSurvivor(operation, about) && this.random.chance(0.95)
        return isMeant ? about : this.#identifier(index, kind, operation)
      },
    }
  }

  /** Of the tenants themselves only those decisions are tried that they survive. */
  #endsSurvivor = ({ name, isForAdmins }: Operation, value: unknown): boolean =>
    isForAdmins && /suspend|reinstate|role|reset-mfa/.test(name) && this.#survivors.has(value)

  #identifier(index: number, kind: Kind, operation: Operation): unknown {
    const { random } = this
    if (random.chance(0.04)) return random.pick(['0198c0de-0000-7000-8000-000000000001', 'nonsense', '0'])
    const others = SECRET_KIND.test(kind) ? [] : [0, 1, 2].filter(each => each !== index)
    const from = operation.isForAdmins
      ? random.pick([0, 1, 2, ADMINS, ADMINS])
      : others.length && random.chance(0.25)
        ? random.pick(others)
        : index
    const value = this.#own(from, kind) ?? this.#own(index, kind)
    return this.#endsSurvivor(operation, value) ? 'nobody' : value
  }

  /** One that the tenant saw, mostly one that it made. */
  #own(index: number, kind: Kind): unknown {
    let value: unknown
    for (let attempt = 0; attempt < 4; attempt++) {
      value = this.#pool.pick(this.random, index, kind)
      if (this.#registry.isOwner(value, this.#tenants[index]?.tag ?? '')) break
    }
    return value
  }

  #reader({ tenant: index, credential, operation }: Draft): Reader {
    const tenant = this.#tenants[index]
    const proves =
      !operation.path.startsWith('/auth/') && !/^(?:internal secret|signature)$/.test(credential.kind)
    const isAnonymous = proves && (credential === NONE || this.#access.refused.includes(credential))
    const tag = tenant?.tag ?? ''
    return {
      tag,
      isAnonymous,
      isAdmin: (tenant?.isAdmin ?? true) && !isAnonymous,
      isRelatedTo: other => this.#registry.isRelated(tag, other),
    }
  }

  /** A success about an object of another tenant gives both something in common. */
  #relate(draft: Draft): void {
    if (draft.operation.method === 'GET') return
    const tag = this.#tenants[draft.tenant]?.tag ?? ''
    const sent = `${urlOf(draft)} ${textOf(draft) ?? ''}`
    for (const [word] of sent.matchAll(/[\w-]{6,}/g)) this.#registry.relate(word, tag)
  }

  #learn(draft: Draft, reply: Reply): readonly Found[] {
    const { tenant, credential } = draft
    const own = this.#tenants[tenant]
    if (own?.credentials.includes(credential) && credential.kind === 'access token' && reply.status === 401)
      this.#lockedOut++
    else if (reply.status < 300) this.#lockedOut = 0
    if (reply.status >= 300) return []
    this.#successes.set(draft.operation.name, this.successesOf(draft.operation) + 1)
    return this.#learnBody(draft, reply)
  }

  #learnBody(
    { operation, tenant }: Draft,
    { status, headers, text }: Reply,
    tag = this.#tenants[tenant]?.tag ?? '',
  ): readonly Found[] {
    const type = String(headers['content-type'] ?? '').split(';')[0] ?? ''
    const at = operation.responses.get(status)?.get(type)
    if (!at || !type.endsWith('json')) return []
    const body: unknown = JSON.parse(text)
    if (operation.name === 'GET /sandbox/mail') this.#learnMails(tenant, body as Mails)
    else this.#pool.learnLinks(tenant, text)
    // The sessions of the tenants last as long as their scenario.
    if (this.#isOfSurvivor(text)) return []
    const found = this.#pool.learn(tenant, schemaAt(at), body)
    if (operation.method === 'GET') return found.map(([kind, value]) => ({ kind, value, isNew: false }))
    const partners = this.#tenants.filter(each => this.#registry.isRelated(tag, each.tag))
    if (operation.name === 'POST /agents/claim/{token}')
      for (const [kind, value] of found)
        if (kind === 'agent' || kind === 'wallet') this.#registry.passOn(value, tag)
    return found.map(([kind, value]) => {
      const isNew = this.#registry.own(value, tag)
      if (!SECRET_KIND.test(kind)) this.#share(partners, kind, value)
      return { kind, value, isNew }
    })
  }

  /** Partners learn of an object, and the next requests may be about it. */
  #share(partners: readonly Tenant[], kind: Kind, value: string): void {
    for (const { index } of partners) this.#pool.add(index, kind, value)
    if (this.recent.some(each => each[1] === value)) return
    this.recent.push([kind, value])
    if (this.recent.length > RECENT) this.recent.shift()
  }

  #isOfSurvivor(text: string): boolean {
    const [, payload] = /"accessToken":"[\w-]+\.([\w-]+)/.exec(text) ?? []
    if (!payload) return false
    const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub?: string }
    return this.#survivors.has(sub)
  }

  /** A link sent to a tenant could end its account, but for the one that ends mails. */
  #learnMails(tenant: number, { items }: Mails): void {
    const { tag, email } = this.#tenants[tenant] ?? {}
    for (const { to, text } of items.filter(each => each.to.includes(`zq${tag}x`))) {
      const [unsubscribe = ''] = /\/unsubscribe\/[\w-]+/.exec(text) ?? []
      this.#pool.learnLinks(tenant, to === email ? unsubscribe : text)
    }
  }

  /** A request of the set-up. */
  readonly #ask: Ask = async <Body>(
    tenant: number,
    name: string,
    { credential, path = {}, headers = {}, body, isSecret, tag }: Parameters<Ask>[2],
  ): Promise<Body & { cookies: readonly string[] }> => {
    const operation = operationNamed(name)
    const draft: Draft = {
      operation,
      tenant,
      credential,
      path,
      query: [],
      headers,
      ...(body === undefined ? {} : { body: { value: body } }),
    }
    const reply = await sendDraft(this.#service.baseUrl, draft)
    if (reply.status >= 300) throw new Error(`${name} answered ${reply.status}: ${reply.text}`)
    if (!isSecret) this.#learnBody(draft, reply, tag)
    return { ...(JSON.parse(reply.text) as Body), cookies: [reply.headers['set-cookie'] ?? []].flat() }
  }
}
