import { tmpdir } from "node:os";
import type { Clock, Logger, OptionsInput, PluginContext } from "../contract/index.ts";
import { createOptions } from "./options.ts";
import { silentLogger } from "./run-context.ts";

/** What a plugin under test finds around it. */
export interface PluginContextOptions {
	/** Default: the system's directory for temporary files. Give one of its own to a plugin that keeps something there. */
	readonly dataDirectory?: string;
	/** Default: says nothing. */
	readonly logger?: Logger;
	/** Default: the system's time. */
	readonly clock?: Clock;
	/** Options of the service that differ from the defaults. */
	readonly options?: OptionsInput;
	/** Default none. */
	readonly pythonPaths?: readonly string[];
}

/** What the host would hand to `start` of a plugin, on a node of its own. */
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
