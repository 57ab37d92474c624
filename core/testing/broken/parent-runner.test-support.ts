import { randomUUID } from "node:crypto";
import { defineRunner, RunAborted, type RunContext, type RunnerPlugin, type RunResult } from "../../contract/index.ts";

/** What may be wrong with a runner that starts children. */
export interface ParentFaults {
	readonly endsEarly?: boolean;
	readonly ignoresAbort?: boolean;
	readonly hasChanceKeys?: boolean;
	readonly savesLate?: boolean;
}

/** Two children at once, then one more; with faults on demand. */
export function parentRunner(faults: ParentFaults): RunnerPlugin {
	async function follow({ children, signal, saveState }: RunContext): Promise<RunResult> {
		const toKey = (name: string) => (faults.hasChanceKeys ? randomUUID() : name);
		const patience = faults.ignoresAbort ? { signal: new AbortController().signal } : {};
		const start = async (name: string) => {
			const id = await children.start({ key: toKey(name), action: "tests.step" });
			return faults.endsEarly ? undefined : children.ended(id, patience);
		};
		try {
			if (!faults.savesLate) await saveState({});
			await Promise.all([start("left"), start("right")]);
			await saveState({});
			await start("last");
			return { succeeded: true, result: {} };
		} catch (error) {
			if (!(error instanceof RunAborted) || !signal.aborted) throw error;
			return { succeeded: false, result: {}, ...(error.kind === "shutdown" && { status: "running" }) };
		}
	}
	return defineRunner("parent", () => ({
		description: "Starts three children.",
		parameters: {},
		capabilities: { cancellation: true, recovery: true },
		run: follow,
		recover: follow,
	}))();
}
