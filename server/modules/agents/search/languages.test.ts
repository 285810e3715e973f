import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { publishAgent, registerHuman, sharedService, type TestService } from '#test'

interface Found {
  agents: { name: string }[]
  total: number
  facets?: { tags: { value: string }[] }
}

const AGENTS = [
  { name: '中文翻译助手', description: '把英文翻译成中文，支持法律文件' },
  { name: '契約書の翻訳エージェント', description: 'AI翻訳を行います' },
  { name: '번역가', description: '한국어를 영어로 번역합니다' },
  { name: 'นักแปลภาษา' },
  { name: 'Übersetzer', description: 'Liest Straßenkarten' },
  { name: 'Résumé writer', tags: ['café'] },
  { name: 'Scraper', capabilities: ['web_scraping'] },
  { name: 'Crawler', capabilities: ['web-scraping'] },
]

let service: TestService
before(async () => {
  service = await sharedService()
  const owner = await registerHuman(service)
  for (const agent of AGENTS) await publishAgent(service, owner, agent)
})
after(() => service.close())

const find = (search: string, path = '/agents?') =>
  service.http<Found>('GET', `${path}${new URLSearchParams({ search }).toString()}`)

const FOUND: [string, string[]][] = [
  ['翻译', ['中文翻译助手']],
  ['法律文件', ['中文翻译助手']],
  ['件文', []],
  ['"翻译 助手"', ['中文翻译助手']],
  ['翻訳', ['契約書の翻訳エージェント']],
  ['AI翻訳', ['契約書の翻訳エージェント']],
  ['ｴｰｼﾞｪﾝﾄ', ['契約書の翻訳エージェント']],
  ['中文 -翻译', []],
  ['翻訳 -翻译', ['契約書の翻訳エージェント']],
  ['번역', ['번역가']],
  ['แปล', ['นักแปลภาษา']],
  ['ubersetzer', ['Übersetzer']],
  ['ÜBERSETZER', ['Übersetzer']],
  ['U\u0308bersetzer', ['Übersetzer']],
  ['strassenkarten', ['Übersetzer']],
  ['resume', ['Résumé writer']],
  ['cafe', ['Résumé writer']],
  ['web-scraping', ['Crawler', 'Scraper']],
  ['web_scraping', ['Crawler', 'Scraper']],
  ['web scraping', ['Crawler', 'Scraper']],
]
for (const [search, expected] of FOUND) {
  test(`${search} finds ${expected.join(', ') || 'nothing'}`, async () => {
    const { body } = await find(search)
    assert.deepEqual(body.agents.map(({ name }) => name).sort(), expected)
    assert.equal(body.total, expected.length)
  })
}

const BEGINNINGS: [string, string[]][] = [
  ['scra', ['Crawler', 'Scraper']],
  ['Übers', ['Übersetzer']],
  ['writer resu', ['Résumé writer']],
  // A whole word matches, so the service looks for no beginning.
  ['scraping', ['Crawler', 'Scraper']],
  ['sc', []],
  ['zebra scra', []],
  ['"scra', []],
  ["scra'", []],
  ['\uFDFA\uFDFA\uFDFA', []],
  // Nothing is left without accents.
  ['\u0300\u0301\u0300', []],
]
for (const [search, expected] of BEGINNINGS) {
  test(`the beginning ${search} finds ${expected.join(', ') || 'nothing'}`, async () => {
    for (const path of ['/agents?', '/agents/discover?', '/agents?sortBy=price&']) {
      const { status, body } = await find(search, path)
      assert.equal(status, 200)
      assert.deepEqual(body.agents.map(({ name }) => name).sort(), expected)
    }
  })
}

test('facets are those of the matches by a beginning', async () => {
  const { body } = await find('resu', '/agents?facets=true&')
  assert.deepEqual(
    body.facets?.tags.map(({ value }) => value),
    ['café'],
  )
})
