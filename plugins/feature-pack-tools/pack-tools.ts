import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { PackTools, Runner } from "../../core/contract/index.ts";
import { getSystemClock } from "../../core/feature.ts";
import type { DryRunPacks } from "./dry-run-packs.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Pack tools of a runner, or the reason why they are not available. */
export interface PackToolsResult {
	readonly runner: string;
	readonly tools: PackTools | undefined;
	readonly failure: unknown;
}

/**
 * Starts the runners that provide tools for packs, passes the tools to `use`, and stops the runners. For a runner that cannot start, `use`
 * gets the error instead of the tools. Data that runners store, such as virtualenvs, is reused by the next call.
 */
export async function withPackTools<T>(
	{ config, runners, dialects }: DryRunPacks,
	use: (tools: readonly PackToolsResult[]) => Promise<T>,
): Promise<T> {
	const dataDirectory = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "svc");
	const started: Runner[] = [];
	const found: PackToolsResult[] = [];
	try {
		for (const [name, runner] of runners) {
			if (runner.packTools === undefined) continue;
			started.push(runner);
			const failure = await start(runner).then(
				() => undefined,
				(error: unknown) => error,
			);
			found.push({ runner: name, tools: failure === undefined ? runner.packTools : undefined, failure });
		}
		return await use(found);
	} finally {
		for (const runner of started.reverse()) await runner.stop?.().catch(() => {});
	}

	async function start(runner: Runner): Promise<void> {
		await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
		const context = { logger: silent, clock: getSystemClock(), dataDirectory, nodeId: "pack", options: config.options };
		await runner.start?.({ ...context, pythonPaths: dialects.pythonPaths });
	}
}
