import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OptionsInput, ParameterSchema, Runner } from "../../contract/index.ts";
import { createOptions } from "../options.ts";
import { silentLogger } from "../run-context.ts";
import { within } from "../within.ts";

/** Milliseconds for `stop` after a statement that was refused: its run may keep `stop` waiting. */
const patienceOfRefused = 1_000;

/** Node id of the runners that a test file starts: what runners of one node share can be kept open from test to test. */
export const testNode = `test-${process.pid}`;

/**
 * Start a runner as the host would, use it, and stop it again. `restart` puts another in its place, on the same data, as a
 * restarted service has it.
 *
 * @param options.patience milliseconds within which `stop` must have ended
 */
export async function withRunner<S extends ParameterSchema>(
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
		const stopped = within(isRefused ? patienceOfRefused : patience, Promise.resolve(current.stop?.()), "`stop` had not ended");
		// What the statement has found says more than that its run keeps `stop` waiting.
		await (isRefused ? stopped.catch(() => {}) : stopped);
		await rm(dataDirectory, { recursive: true, force: true });
	}
}
