import { type Child, defineRunner, RunAborted, type RunContext, type RunnerPlugin, type RunResult } from "../../contract/index.ts";

/** What may be wrong with a runner of workflows. */
export interface WorkflowFaults {
	readonly ignoresPause?: boolean;
	readonly pausesEarly?: boolean;
	readonly startsTwice?: boolean;
	readonly leavesChildren?: boolean;
	readonly needsJournal?: boolean;
	readonly endsAtShutdown?: boolean;
	readonly cannotBeCanceled?: boolean;
}

const names = ["one", "two", "three"];

/** Three children, one after the other; with faults on demand. */
export function workflowRunner(faults: WorkflowFaults): RunnerPlugin {
	async function work(context: RunContext, isRecovered: boolean): Promise<RunResult | undefined> {
		const entries = await context.journal.read();
		if (faults.needsJournal && isRecovered && entries.length === 0) return undefined;
		try {
			return await follow(context, entries.length, faults.startsTwice && isRecovered ? "-again" : "");
		} catch (error) {
			if (!(error instanceof RunAborted) || !context.signal.aborted) throw error;
			return end(context, error);
		}
	}

	async function follow(context: RunContext, begun: number, suffix: string): Promise<RunResult> {
		const { children, journal, signal, pausing } = context;
		const paused = { succeeded: false, status: "paused", result: {} } as const;
		for (let count = suffix === "" ? begun : 0; ; count += 1) {
			const open = (await children.list()).filter(({ hasEnded }) => !hasEnded);
			if (faults.pausesEarly) await Promise.race([waitFor(context, open), whenAborted(pausing)]);
			else await waitFor(context, open);
			signal.throwIfAborted();
			if (count >= names.length) return { succeeded: true, result: {} };
			if (pausing.aborted && !faults.ignoresPause) return paused;
			const child = await children.prepare({ key: `${names[count]}${suffix}`, action: "tests.step" });
			await journal.append({ count }, { start: [child] });
		}
	}

	async function end({ children }: RunContext, { kind }: RunAborted): Promise<RunResult> {
		if (kind === "shutdown" && !faults.endsAtShutdown) return { succeeded: false, status: "running", result: {} };
		if (!faults.leavesChildren) for (const { id } of await children.list()) await children.cancel(id);
		return { succeeded: false, result: {} };
	}

	return defineRunner("flow", () => ({
		description: "Starts three children.",
		parameters: {},
		capabilities: { cancellation: faults.cannotBeCanceled !== true, recovery: true, workflow: true },
		run: async (context) => (await work(context, false)) ?? { succeeded: false, result: {} },
		recover: (context) => work(context, true),
	}))();
}

async function waitFor({ children }: RunContext, open: readonly Child[]): Promise<void> {
	for (const { id } of open) await children.ended(id);
}

function whenAborted(signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (signal.aborted) resolve();
		else signal.addEventListener("abort", () => resolve(), { once: true });
	});
}
