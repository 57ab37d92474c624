import type { PluginContext } from "../contract/index.ts";
import { createOptions } from "./options.ts";
import { silentLogger } from "./run-context.ts";

/** What a host would give a plugin that starts: default options, a log that says nothing, an id that no other node has. */
export function createPluginContext(dataDirectory: string): PluginContext {
	return {
		logger: silentLogger,
		clock: { now: () => Date.now() * 1_000 },
		dataDirectory,
		nodeId: crypto.randomUUID(),
		options: createOptions(),
	};
}
