// Compiles TestUSDC.sol to TestUSDC.json (ABI and runtime code). The compiler is not a dependency of the service:
//   npm install --no-save solc@0.8.37 && node server/modules/x402/token/compile.mjs
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'

const solc = createRequire(import.meta.url)('solc')

const at = name => join(import.meta.dirname, name)
const input = {
  language: 'Solidity',
  sources: { 'TestUSDC.sol': { content: readFileSync(at('TestUSDC.sol'), 'utf8') } },
  settings: {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: 'paris',
    outputSelection: { '*': { '*': ['abi', 'evm.deployedBytecode.object'] } },
  },
}
const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input)))
for (const { formattedMessage } of errors) process.stderr.write(formattedMessage)
const { abi, evm } = contracts['TestUSDC.sol'].TestUSDC
const compiled = { compiler: solc.version(), abi, deployedBytecode: `0x${evm.deployedBytecode.object}` }
writeFileSync(at('TestUSDC.json'), `${JSON.stringify(compiled, null, 2)}\n`)
