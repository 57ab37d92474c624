import { setTimeout as delay } from "node:timers/promises";
import { defineRunner, type JsonObject, type RunContext } from "../contract/index.ts";

const parameters = {
	text: { type: "string", default: "", description: "Text to print first." },
	lines: { type: "integer", default: 0, minimum: 0, description: "Lines to print: `line 1`, `line 2` and so on." },
	output: { type: "string", default: "stdout", enum: ["stdout", "stderr", "other"], description: "Channel to print on." },
	line_delay: { type: "number", default: 0, minimum: 0, description: "Milliseconds before each line." },
	delay: { type: "number", default: 0, minimum: 0, description: "Milliseconds to wait before the end." },
	block: { type: "boolean", default: false, description: "True to run until the run is aborted." },
	ignore_abort: { type: "number", default: 0, minimum: 0, description: "Milliseconds during which an abort is ignored." },
	fail: { type: "boolean", default: false, description: "True if the action fails." },
	throw: { type: "string", default: "", description: "Message of an error that the runner throws." },
	result: { type: "object", description: "The result. Default: the number of lines." },
	result_size: { type: "integer", default: 0, minimum: 0, description: "Bytes of padding in the result." },
	secret: { type: "string", secret: true, description: "Any secret." },
	timeout: { type: "integer", default: 60, description: "Seconds after which the action is ended." },
} as const;

/**
 * A runner (`mock`) whose behavior is set by its parameters, for tests of the code around runners. It starts no process.
 *
 * @param onRun called at the start of each run
 */
export const mockRunner = defineRunner("mock", ({ onRun }: { onRun?: (context: RunContext<typeof parameters>) => void } = {}) => ({
	description: "Simulates an action as defined by its parameters.",
	parameters,
	capabilities: { streaming: true, cancellation: true },
	async run(context) {
		onRun?.(context);
		const { runnerParameters: wanted, signal } = context;
		if (wanted.throw !== "") throw new Error(wanted.throw);
		await printLines(context);
		await waitUnlessAborted(wanted.delay, signal);
		if (wanted.block) await waitUnlessAborted(undefined, signal);
		if (signal.aborted && wanted.ignore_abort > 0) await delay(wanted.ignore_abort);
		const succeeded = !wanted.fail && !signal.aborted;
		return { succeeded, result: createResult(context) };
	},
}));

async function printLines({ runnerParameters: wanted, signal, emit }: RunContext<typeof parameters>): Promise<void> {
	if (wanted.text !== "") await emit(wanted.output, wanted.text);
	for (let line = 1; line <= wanted.lines && !signal.aborted; line++) {
		await waitUnlessAborted(wanted.line_delay, signal);
		await emit(wanted.output, `line ${line}\n`);
	}
}

function createResult({ runnerParameters: wanted }: RunContext<typeof parameters>): JsonObject {
	const result = wanted.result ?? { lines: wanted.lines };
	return wanted.result_size > 0 ? { ...result, filling: "x".repeat(wanted.result_size) } : result;
}

/** Waits for the given time or until the abort. Without a time, waits until the abort. */
async function waitUnlessAborted(milliseconds: number | undefined, signal: AbortSignal): Promise<void> {
	if (signal.aborted || milliseconds === 0) return;
	await new Promise<void>((resolve) => {
		const timer = milliseconds === undefined ? undefined : setTimeout(end, milliseconds);
		signal.addEventListener("abort", end, { once: true });
		function end() {
			clearTimeout(timer);
			signal.removeEventListener("abort", end);
			resolve();
		}
	});
}
