import { tmpdir } from "node:os";
import type { PluginContext } from "../../contract/index.ts";
import { createOptions } from "../options.ts";
import { silentLogger } from "../run-context.ts";

/** What a host would give a plugin. */
export function createContext(): PluginContext {
	return {
		logger: silentLogger,
		clock: { now: () => Date.now() * 1_000 },
		dataDirectory: tmpdir(),
		nodeId: crypto.randomUUID(),
		options: createOptions(),
	};
}
