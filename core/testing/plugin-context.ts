import { tmpdir } from "node:os";
import type { Clock, Logger, OptionsInput, PluginContext } from "../contract/index.ts";
import { silentLogger } from "./run-context.ts";
import { createOptions } from "./service-options.ts";

/** Properties of the context of a plugin under test. */
export interface PluginContextOptions {
	/** Directory for the plugin's data. Default: the system's temporary directory. A plugin that stores data needs its own directory. */
	readonly dataDirectory?: string;
	/** Logger of the plugin. Default: logs nothing. */
	readonly logger?: Logger;
	/** Clock of the plugin. Default: the system clock. */
	readonly clock?: Clock;
	/** Service options that differ from the defaults. */
	readonly options?: OptionsInput;
	/** Directories with Python modules for packs. Default: none. */
	readonly pythonPaths?: readonly string[];
}

/** Creates the context that the host passes to `start` of a plugin. Each context has a new node id. */
export function createPluginContext({
	dataDirectory = tmpdir(),
	logger = silentLogger,
	clock,
	options,
	pythonPaths = [],
}: PluginContextOptions = {}): PluginContext {
	return {
		logger,
		clock: clock ?? { now: () => Date.now() * 1_000 },
		dataDirectory,
		nodeId: crypto.randomUUID(),
		options: createOptions(options),
		pythonPaths,
	};
}
