import { createJiti } from "jiti";
import { SvcError, toErrorMessage } from "../contract/index.ts";

export interface ImportOptions {
	/** Where translations are kept. Default: nowhere. */
	readonly cacheDirectory?: string | undefined;
	/** Whether what has no default export is one itself, as a CommonJS module. Default true. */
	readonly interopDefault?: boolean;
}

/**
 * Load a module in TypeScript or JavaScript. `SVC_CONFIG` says why it cannot be read, with the place where known.
 *
 * @param subject what the module is, for the message
 */
export async function importModule(
	path: string,
	subject: string,
	{ cacheDirectory, interopDefault = true }: ImportOptions = {},
): Promise<unknown> {
	// Native first, so that a configuration and the service share one copy of the package. Its own choice of a cache is node_modules.
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

/** `line:column` of the first stack entry in the file. */
function findPlace(path: string, stack: string): string | undefined {
	const start = stack.indexOf(`${path}:`);
	return start === -1 ? undefined : /^\d+:\d+/.exec(stack.slice(start + path.length + 1))?.[0];
}
