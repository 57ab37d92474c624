import {
	type Child,
	type ChildRequest,
	defineRunner,
	type JsonObject,
	type RunContext,
	type RunnerPlugin,
	type RunResult,
	SvcError,
	type WorkflowDefinitionSupport,
} from "../../contract/index.ts";

/** What a test does while a flow runs. */
export interface FlowHooks {
	/** Before the flow says that it is paused. */
	readonly onPause?: (context: RunContext) => Promise<void> | void;
	/** Whenever it begins or goes on. */
	readonly onWork?: (context: RunContext) => Promise<void> | void;
	/** Whether a paused flow has work that waits for none of its children. Default false. */
	readonly hasHeldWork?: boolean;
}

const waiting: readonly string[] = ["pending", "paused"];

const definitions: WorkflowDefinitionSupport = {
	inspect: async () => [],
	graph: () => ({ nodes: [], edges: [] }),
	progress: () => ({ definition: null, tasks: [], variables: {}, errors: [] }),
	assertTakenUp(entries, tasks) {
		const names = entries.flatMap((entry) => (entry["begun"] as readonly string[] | undefined) ?? []);
		const unknown = tasks.filter((task) => !names.includes(task));
		if (unknown.length > 0) throw new SvcError("SVC_INVALID", `tasks: there are none of these: ${unknown.join(", ")}`);
	},
};

/** The smallest runner that is made of others: starts all its steps at once, and waits for them. */
export function flowRunner({ onPause, onWork, hasHeldWork = false }: FlowHooks = {}): RunnerPlugin {
	const work = async (context: RunContext): Promise<RunResult> => {
		await onWork?.(context);
		const states = await begin(context);
		const { signal, pausing, children } = context;
		for (;;) {
			if (signal.aborted) return end(context);
			if (pausing.aborted) await pauseAll(context, states);
			if ([...states.values()].some(({ status }) => status === "canceled")) {
				await context.request("cancel");
				return end(context);
			}
			const isIdle = [...states.values()].every(({ hasEnded, status }) => hasEnded || waiting.includes(status));
			const open = [...states.values()].filter(({ hasEnded }) => !hasEnded);
			if (isIdle && open.length > 0) return pause(context, onPause);
			if (isIdle) return succeed(context, states);
			const wake = AbortSignal.any(pausing.aborted ? [signal] : [signal, pausing]);
			for await (const child of children.changes({ signal: wake })) {
				if (states.get(child.id)?.status === child.status) continue;
				states.set(child.id, child);
				break;
			}
		}
	};
	return defineRunner("flow", () => ({
		description: "Starts its steps.",
		capabilities: { cancellation: true, recovery: true, workflow: true },
		parameters: { steps: { type: "array", default: [] }, timeout: { type: "number", default: 60 } },
		definitions: { ...definitions, hasHeldWork: () => hasHeldWork },
		run: work,
		recover: work,
	}))();
}

async function begin({ runnerParameters, children, journal, context, takenUp }: RunContext): Promise<Map<string, Child>> {
	const entries = await journal.read();
	const steps = (runnerParameters["steps"] as unknown as readonly ChildRequest[]).filter(
		({ key }) => takenUp === undefined || takenUp.tasks.includes(key),
	);
	if (entries.length === 0) {
		const start = await Promise.all(steps.map((step) => children.prepare(step)));
		const tasks = steps.map(({ key, action }) => toTask(key, action));
		await journal.append({ begun: steps.map(({ key }) => key), ...(takenUp && { after: takenUp.entries.length }) }, { start, tasks });
	}
	const states = new Map((await children.list()).map((child) => [child.id, child]));
	if (entries.at(-1)?.["paused"] === true && context["resumed_by"] !== undefined) {
		for (const { id, status } of states.values()) if (status === "paused") await children.resume(id);
		for (const child of await children.list()) states.set(child.id, child);
	}
	return states;
}

function toTask(name: string, action: string) {
	return {
		id: "a".repeat(24),
		name,
		route: 0,
		status: "running",
		action,
		attempts: 1,
		start_timestamp: "2030-01-02T03:04:05.678901Z",
		end_timestamp: null,
		execution_ids: [],
		items: null,
		next: [],
	} as const;
}

async function pauseAll({ children }: RunContext, states: ReadonlyMap<string, Child>): Promise<void> {
	for (const { id, status, action_ref } of states.values()) {
		if (status === "running" && action_ref === "default.flow") await children.pause(id);
	}
}

async function pause(context: RunContext, onPause: FlowHooks["onPause"]): Promise<RunResult> {
	const { pausing, request, journal } = context;
	if (!pausing.aborted) await request("pause");
	await journal.append({ paused: true });
	await onPause?.(context);
	return { succeeded: false, status: "paused", result: { output: null } };
}

async function succeed({ children }: RunContext, states: ReadonlyMap<string, Child>): Promise<RunResult> {
	const results: [string, JsonObject | null][] = [];
	for (const { id, key = "" } of states.values()) results.push([key, await children.result(id)]);
	return { succeeded: true, result: { output: Object.fromEntries(results) } };
}

/** What it is made of ends first. */
async function end({ children }: RunContext): Promise<RunResult> {
	const open = (await children.list()).filter(({ hasEnded }) => !hasEnded);
	await Promise.all(open.map(({ id }) => children.cancel(id)));
	const never = new AbortController().signal;
	await Promise.all(open.map(({ id }) => children.ended(id, { signal: never })));
	return { succeeded: false, status: "canceled", result: { output: null } };
}
