import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OptionsInput, ParameterDefinitions, Runner } from "../../contract/index.ts";
import { silentLogger } from "../run-context.ts";
import { createOptions } from "../service-options.ts";
import { within } from "../within.ts";

/** Milliseconds for `stop` after a failed test, whose run may block `stop`. */
const refusedStopTimeoutMs = 1_000;

/** Node id of all runners of this process, so that resources that runners of one node share may stay open between tests. */
export const testNode = `test-${process.pid}`;

/**
 * Starts a runner as the host would, uses it and stops it. `restart` stops the current runner and starts another on the same data, as a
 * restart of the service does.
 *
 * @param options.patience milliseconds within which `stop` must finish
 */
export async function withRunner<S extends ParameterDefinitions>(
	runner: Runner<S>,
	use: (runner: Runner<S>, restart: (next: Runner<S>) => Promise<Runner<S>>) => Promise<void>,
	{
		nodeId = testNode,
		options,
		patience = 20_000,
	}: { readonly nodeId?: string; readonly options?: OptionsInput; readonly patience?: number } = {},
): Promise<void> {
	const dataDirectory = await mkdtemp(join(tmpdir(), "svc-runner-"));
	let current = runner;
	const start = async () =>
		current.start?.({
			logger: silentLogger,
			clock: { now: () => Date.now() * 1000 },
			dataDirectory,
			nodeId,
			options: createOptions(options),
		});
	let isRefused = true;
	try {
		await start();
		await use(runner, async (next) => {
			await current.stop?.();
			current = next;
			await start();
			return next;
		});
		isRefused = false;
	} finally {
		const stopped = within(isRefused ? refusedStopTimeoutMs : patience, Promise.resolve(current.stop?.()), "`stop` had not ended");
		// After a failed test, ignore that its run blocks `stop`: the failure is more informative.
		await (isRefused ? stopped.catch(() => {}) : stopped);
		await rm(dataDirectory, { recursive: true, force: true });
	}
}
