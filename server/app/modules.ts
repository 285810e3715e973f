import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bindings } from '#platform/kernel/bindings'
import { Module, type ModuleDefinition, type ModuleInstance } from '#platform/kernel/module'
import { requireImplementations } from '#platform/kernel/ports'
import type { Services } from '#platform/kernel/services'
import { MODULES } from '../modules/registry.ts'

/** A module of one running service. */
export interface RunningModule {
  definition: ModuleDefinition
  instance: ModuleInstance
}

const FOLDER = join(import.meta.dirname, '../modules')

/** The definitions of all modules, in the order of the registry. Throws for a folder that is not in the registry. */
export async function loadModules(folder = FOLDER, names = MODULES): Promise<ModuleDefinition[]> {
  for (const { name, isDirectory } of await foldersOf(folder))
    if (isDirectory && !names.includes(name))
      throw new Error(
        `server/modules/${name} is not registered, so that nothing of it would run: add "${name}" to server/modules/registry.ts, on a level above the modules that it imports`,
      )
  return Promise.all(names.map(name => loadModule(folder, name)))
}

const foldersOf = async (folder: string) =>
  (await readdir(folder, { withFileTypes: true })).map(entry => ({
    name: entry.name,
    isDirectory: entry.isDirectory(),
  }))

async function loadModule(folder: string, name: string): Promise<ModuleDefinition> {
  const file = join(folder, name, 'module.ts')
  const { default: module } = (await import(file)) as { default?: unknown }
  if (!(module instanceof Module) || module.definition.name !== name)
    throw new Error(
      `server/modules/${name}/module.ts must have the default export defineModule({ name: '${name}', ... })`,
    )
  return module.definition
}

/** The modules of this service, in order and bound to each other: production has none of the sandbox. */
export async function createModules(services: Services): Promise<RunningModule[]> {
  const definitions = await loadModules()
  const modules = definitions
    .filter(({ sandboxOnly }) => services.config.sandbox || !sandboxOnly)
    .map(definition => ({ definition, instance: definition.create(services) }))
  bindModules(services.db.bindings, modules)
  return modules
}

/** Binds subscribers and port implementations in the order of the modules. Throws where an implementation is missing. */
export function bindModules(bindings: Bindings, modules: readonly RunningModule[]): void {
  for (const { definition, instance } of modules) {
    bindings.add(definition.name, instance.subscribes)
    bindings.add(definition.name, instance.provides)
  }
  requireImplementations(
    modules.flatMap(({ definition }) => definition.ports ?? []),
    bindings,
  )
}

/** The rules of all modules for the ledger check. */
export const loadLedgerChecks = async () =>
  (await loadModules()).flatMap(({ ledgerChecks = [] }) => ledgerChecks)
