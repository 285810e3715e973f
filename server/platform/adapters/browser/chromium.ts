import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import {
  access,
  chmod,
  constants as fsConstants,
  lstat,
  mkdir,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'
import type { Browser } from 'playwright-core'
import { packageFolder, unpackBrowser } from './unpack.ts'

export interface ChromiumOptions {
  cacheDir: string
  chromiumPath?: string
}

export const LAUNCH_MS = 20_000
/** Where the unpacked browser goes for root, when the user that runs it cannot enter the data folder. */
const SHARED = '/var/lib/svc/chromium'
/** The user that root lends to the browser: one of its own, for `nobody` may own other daemons and their files. */
const BROWSER_USER = { uid: 65_533, gid: 65_533 }
/** Counts what is unpacked beside the browser, so that a folder of an earlier version of the service is not used. */
const CONTENTS = 2
const isRoot = () => process.getuid?.() === 0

// Playwright's own list, which a second switch replaces, and what would speak past the proxy: mDNS names of WebRTC join a multicast group.
const DISABLED = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'NetworkTimeServiceQuerying',
  'PreconnectToSearch',
  'OptimizationHints',
  'MediaRouter',
  'DialMediaRouteProvider',
  'AutofillServerCommunication',
  'Translate',
  'WebRtcHideLocalIpsWithMdns',
].join()

// Nothing but what the filter proxy lets through: no QUIC, no WebRTC past the proxy, no name looked up, no calls home.
export const ARGS = [
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-pings',
  '--no-first-run',
  '--disable-gpu',
  '--disable-webgl',
  '--mute-audio',
  `--disable-features=${DISABLED}`,
  '--js-flags=--max-old-space-size=768',
]

interface Installation {
  executablePath: string
  env: Record<string, string>
}

/** Unpacks the browser if that was not done before. Throws if it cannot run here. */
export async function installChromium({ cacheDir, chromiumPath }: ChromiumOptions): Promise<Installation> {
  const folder = await unpackedFolder(cacheDir, chromiumPath !== undefined)
  const binary = chromiumPath ?? join(folder, 'chromium')
  const libraries: Record<string, string> = chromiumPath
    ? {}
    : { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_PATH: folder }
  await access(binary, fsConstants.X_OK).catch(() => {
    throw new Error(`${binary} is not a program that can be run`)
  })
  return {
    executablePath: isRoot() ? await unprivileged(folder, binary) : binary,
    // No variable of ours: a page that breaks out of the browser must find no secret.
    env: { PATH: process.env.PATH ?? '', HOME: '/tmp', ...libraries },
  }
}

/** Starts a browser with its own sandbox on, as an unprivileged user. Throws when it cannot be had. */
export async function launchChromium(
  options: ChromiumOptions & { /** Of the filter proxy. */ proxyUrl: string },
): Promise<Browser> {
  const { proxyUrl, ...rest } = options
  const installation = await installChromium(rest)
  const { chromium } = await import('playwright-core')
  return chromium
    .launch({
      ...installation,
      headless: true,
      chromiumSandbox: true,
      proxy: { server: proxyUrl, bypass: '<-loopback>' },
      args: ARGS,
      timeout: LAUNCH_MS,
      // The service stops by itself; playwright's handlers would end the process in the middle of it.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    })
    .catch((error: Error) => {
      throw new Error(launchError(error.message), { cause: error })
    })
}

/** The line of the browser's log that says why it did not start. */
export function launchError(message: string): string {
  if (/No usable sandbox/i.test(message))
    return 'its sandbox needs user namespaces, which this system does not give to ordinary users'
  const line =
    message
      .split('\n')
      .find(each => /error while loading|FATAL|cannot execute|Permission denied|setpriv:/i.test(each)) ??
    message.split('\n')[0]
  return (line ?? '').replace(/^.*\[err\] */, '').slice(0, 300)
}

/** The folder of the browser that npm brought, unpacked once. */
async function unpackedFolder(cacheDir: string, foreign: boolean): Promise<string> {
  const home = isRoot() && !(await canEnter(dirname(cacheDir))) ? SHARED : cacheDir
  // A browser of the operator is not unpacked: its folder must not pass for that of the browser that npm brought.
  const folder = join(home, foreign ? 'operator' : `${packageVersion()}-${CONTENTS}`)
  await mkdir(foreign ? folder : home, { recursive: true, mode: 0o755 })
  if (isRoot()) await chmod(foreign ? folder : home, 0o755)
  if (foreign || existsSync(folder)) return ours(folder)
  const draft = `${folder}.${randomUUID()}`
  await mkdir(draft, { mode: 0o755 })
  try {
    await unpackBrowser(draft, folder)
    await rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true })
    // Another process was faster.
    if (!existsSync(folder)) throw error
  }
  return ours(folder)
}

/** A browser that somebody else put there must not run. */
async function ours(folder: string): Promise<string> {
  const { uid, mode } = await lstat(folder)
  if ((uid !== process.getuid?.() && uid !== 0) || (mode & 0o022) !== 0)
    throw new Error(`${folder} can be written by others: remove it and start again`)
  return folder
}

const canEnter = async (folder: string): Promise<boolean> => {
  await mkdir(folder, { recursive: true })
  return spawnSync('test', ['-x', folder], { ...BROWSER_USER, cwd: '/' }).status === 0
}

function packageVersion(): string {
  return (createRequire(import.meta.url)(join(packageFolder(), 'package.json')) as { version: string })
    .version
}

/** A launcher that gives up root for good before the browser starts. Its profile folder goes to the same user. */
async function unprivileged(folder: string, binary: string): Promise<string> {
  if (spawnSync('setpriv', ['--version']).status !== 0)
    throw new Error('as root the browser needs setpriv (util-linux) to run as an unprivileged user')
  const script = join(folder, 'unprivileged.sh')
  const draft = `${script}.${randomUUID()}`
  await writeFile(
    draft,
    `#!/bin/sh
for arg in "$@"; do case "$arg" in --user-data-dir=*) chown -R ${BROWSER_USER.uid}:${BROWSER_USER.gid} "\${arg#--user-data-dir=}" ;; esac; done
cd /
exec setpriv --reuid=${BROWSER_USER.uid} --regid=${BROWSER_USER.gid} --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs -- '${binary}' "$@"
`,
  )
  await chmod(draft, 0o755)
  await rename(draft, script)
  return script
}
