import type { JsonObject, RunContext, TaskState } from "../contract/index.ts";
import type { TestChildren } from "./run-children.ts";

/** What of the options of a context its journal is made of. */
interface TestJournalOptions {
	readonly after?: { readonly entries?: readonly JsonObject[] };
	readonly onAppend?: (entry: JsonObject) => Promise<void> | void;
}

interface TakenRun {
	readonly run: { readonly execution_id: string; readonly entries: readonly JsonObject[] };
	readonly tasks: readonly string[];
	readonly reset?: readonly string[];
}

/** In memory, together with the children that an entry starts. */
export function createTestJournal(
	{ after, onAppend }: TestJournalOptions,
	{ assertHeld, children, onFirst }: { readonly assertHeld: () => void; readonly children: TestChildren; readonly onFirst: () => void },
) {
	const entries: JsonObject[] = [...(after?.entries ?? [])];
	const tasks: TaskState[] = [];
	const journal: RunContext["journal"] = {
		async read() {
			assertHeld();
			return structuredClone(entries);
		},
		async append(entry, step = {}) {
			const kept = structuredClone(entry);
			await onAppend?.(kept);
			assertHeld();
			entries.push(kept);
			onFirst();
			children.startPrepared(step.start ?? []);
			tasks.push(...(step.tasks ?? []));
		},
	};
	return { journal, entries, tasks };
}

/** What a run is told of the one that it takes up. */
export function toTakenUp(takesUp: TakenRun | undefined): RunContext["takenUp"] {
	if (takesUp === undefined) return undefined;
	const { run, tasks, reset = [] } = takesUp;
	return { execution_id: run.execution_id, tasks, reset, entries: structuredClone(run.entries) };
}
