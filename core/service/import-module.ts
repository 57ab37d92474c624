import { createJiti } from "jiti";
import { SvcError, toErrorMessage } from "../contract/index.ts";

export interface ImportOptions {
	/** Directory for transpiled modules. Default: they are not cached. */
	readonly cacheDirectory?: string | undefined;
	/** True if a module without a default export, such as a CommonJS module, is itself used as the default export. Default: true. */
	readonly interopDefault?: boolean;
}

/**
 * Loads a module in TypeScript or JavaScript. Throws `SVC_CONFIG` with the reason if it cannot be read, and with line and column if
 * available.
 *
 * @param subject description of the module for the message
 */
export async function importModule(
	path: string,
	subject: string,
	{ cacheDirectory, interopDefault = true }: ImportOptions = {},
): Promise<unknown> {
	// Try the native import first, so that a configuration and the service share one copy of the package. Without `fsCache`, jiti would cache
	// in node_modules.
	const jiti = createJiti(import.meta.url, { tryNative: true, interopDefault, fsCache: cacheDirectory ?? false });
	try {
		return await jiti.import<unknown>(path);
	} catch (error) {
		throw new SvcError("SVC_CONFIG", `${subject} "${path}" cannot be read: ${describeFailure(path, error)}`, { cause: error });
	}
}

function describeFailure(path: string, error: unknown): string {
	const message = toErrorMessage(error)
		.split("\nRequire stack:")[0]
		?.replace(/\s*\n\s*/g, " ");
	const place = error instanceof Error ? findPlace(path, error.stack ?? "") : undefined;
	return place === undefined || message?.includes(place) ? `${message}` : `${message} (line ${place})`;
}

/** Returns `line:column` of the first stack entry in the file. */
function findPlace(path: string, stack: string): string | undefined {
	const start = stack.indexOf(`${path}:`);
	return start === -1 ? undefined : /^\d+:\d+/.exec(stack.slice(start + path.length + 1))?.[0];
}
