// Owns the loading of the MCP client, an optional package: at the first connection, and not before.
import { TroupeError, toFailure } from '../../base/failures.ts';

/** The parts of the client that are used here. */
export type McpSdk = typeof import('@modelcontextprotocol/client') &
  Pick<typeof import('@modelcontextprotocol/client/stdio'), 'getDefaultEnvironment'>;

/** A variable: a bundler that looked for the package would fail where it is not installed. */
const packageName: string = '@modelcontextprotocol/client';

/** Rejects `mcp_package_missing` when the package is not installed or cannot be loaded. */
export async function loadMcpSdk(): Promise<McpSdk> {
  try {
    const [client, { getDefaultEnvironment }] = await Promise.all([
      import(packageName) as Promise<typeof import('@modelcontextprotocol/client')>,
      import(`${packageName}/stdio`) as Promise<
        typeof import('@modelcontextprotocol/client/stdio')
      >,
    ]);
    return { ...client, getDefaultEnvironment };
  } catch (error) {
    throw missingMcpPackage(error);
  }
}

/** The error of a package that could not be loaded: which one, and what to do when it is just not there. */
export function missingMcpPackage(error: unknown): TroupeError {
  const isAbsent =
    error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
  const message = isAbsent
    ? `MCP servers need the package "${packageName}", which is not installed; run: npm install ${packageName}`
    : `the package "${packageName}" cannot be loaded: ${toFailure(error).message}`;
  return new TroupeError('mcp_package_missing', message, { detail: { package: packageName } });
}
