import { readFile } from "node:fs/promises";
import { parse, stringify } from "yaml";
import {
	type ActionSignature,
	type DefinitionCaseResult,
	type DefinitionFinding,
	type DefinitionGraph,
	type DefinitionServices,
	defineRunner,
	isJsonObject,
	type JsonObject,
	type JsonValue,
	type RunContext,
	type RunProgress,
	SvcError,
	type TaskState,
	type TaskStatus,
	type WorkflowDefinitionSupport,
} from "../../contract/index.ts";
import { parseYamlDocument } from "../../language/yaml-document.ts";

/** A definition of the stand-in: tasks by name, which run one after another. */
export interface FakeDefinition {
	readonly tasks: Readonly<Record<string, FakeTask>>;
}

interface FakeTask {
	/** Absent: a step without work. */
	readonly action?: string;
	readonly input?: JsonObject;
	readonly next?: readonly { readonly do: string; readonly when?: string }[];
}

/** The text of a definition. */
export const toFakeDefinition = (tasks: FakeDefinition["tasks"]) => stringify({ tasks });

function toProgress(entries: readonly JsonObject[]): RunProgress {
	const tasks = new Map<string, TaskState>();
	let definition: string | null = null;
	for (const entry of entries) {
		if (typeof entry["definition"] === "string") ({ definition } = entry as { definition: string });
		if (isJsonObject(entry["task"])) tasks.set(String(entry["task"]["id"]), entry["task"] as unknown as TaskState);
	}
	return { definition, tasks: [...tasks.values()], variables: {}, errors: [] };
}

/** Reads definitions of the stand-in, and journals of it: `{ definition }`, then `{ task }` whenever one has changed. */
export const fakeDefinitions: WorkflowDefinitionSupport = {
	async inspect(text, tools) {
		const tasks = Object.entries(tasksOf(text) ?? {});
		if (tasks.length === 0) return [finding("syntax", "there are no tasks", null)];
		return (await Promise.all(tasks.map(([name, task]) => inspectTask(name, task, tools)))).flat();
	},
	graph(text) {
		const tasks = tasksOf(text);
		if (tasks === undefined) throw new SvcError("SVC_INVALID", "the text is no definition");
		return toGraph(tasks);
	},
	progress: toProgress,
	assertTakenUp(entries, tasks) {
		const known = toProgress(entries).tasks.map(({ name }) => name);
		const unknown = tasks.filter((name) => !known.includes(name));
		if (unknown.length > 0) throw new SvcError("SVC_INVALID", `tasks: ${unknown.join(", ")} has not run`);
	},
	async test(definition, cases) {
		const tasks = Object.keys(tasksOf(definition) ?? {});
		const given: unknown = parse(cases);
		if (!Array.isArray(given)) throw new SvcError("SVC_INVALID", "cases: must be a list");
		return given.map((one: { name: string; tasks: string[] }): DefinitionCaseResult => {
			const isSame = JSON.stringify(one.tasks) === JSON.stringify(tasks);
			const problems = isSame ? [] : [`tasks: expected ${one.tasks.join(", ")}, got ${tasks.join(", ")}`];
			return { name: one.name, problems, status: "succeeded", output: null, tasks };
		});
	},
};

/** A runner of workflows that is no more than what those around it need of one. Named `workflow` unless told otherwise. */
export const fakeWorkflow = (name = "workflow") =>
	defineRunner(name, () => ({
		description: "Runs actions one after another.",
		capabilities: { cancellation: true, recovery: true, workflow: true, streaming: true },
		parameters: {},
		entryPoint: "required" as const,
		definitions: fakeDefinitions,
		run: (context: RunContext) => runTasks(context, []),
		recover: async (context: RunContext) => runTasks(context, await context.journal.read()),
	}))();

async function runTasks(context: RunContext, entries: readonly JsonObject[]) {
	const { journal, children, signal, emit, takenUp } = context;
	const { definition: known, tasks: before } = toProgress([...(takenUp?.entries ?? []), ...entries]);
	const definition = known ?? (await readFile(context.entryPoint, "utf8"));
	const again = entries.length === 0 ? (takenUp?.tasks ?? []) : [];
	const done = new Set(before.flatMap(({ name, end_timestamp }) => (end_timestamp === null || again.includes(name) ? [] : [name])));
	if (entries.length === 0) await journal.append({ definition });
	const named = Object.entries(tasksOf(definition) ?? {});
	for (const [index, [name, { action, input = {}, next = [] }]] of named.entries()) {
		if (done.has(name)) continue;
		if (signal.aborted) break;
		if (context.pausing.aborted) return { succeeded: true, status: "paused" as const, result: {} };
		const begun = toTask(context, index, { name, action: render(action ?? null, context) as string | null });
		await emit("other", `task ${name} began\n`);
		const step = async (task: TaskState) => journal.append({ task: task as unknown as JsonObject }, { tasks: [task] });
		await step(begun);
		let status: TaskStatus = "succeeded";
		const ids: string[] = [];
		if (begun.action !== null) {
			const parameters = render(input, context) as JsonObject;
			ids.push(
				await children.start({ key: name, action: begun.action, parameters, context: { task_name: name, task_execution_id: begun.id } }),
			);
			await step({ ...begun, execution_ids: ids });
			const child = await children.ended(ids[0] as string).catch(() => undefined);
			if (child === undefined) await children.cancel(ids[0] as string);
			status = child?.status === "succeeded" ? "succeeded" : child === undefined ? "canceled" : "failed";
		}
		const taken = status === "succeeded" ? next.map(({ do: to }, transition) => ({ to, transition })) : [];
		await step({ ...begun, status, execution_ids: ids, end_timestamp: now(), next: taken });
		await emit("other", `task ${name} ${status}\n`);
		if (status !== "succeeded") return { succeeded: false, result: { output: null, errors: [{ task_id: name }] } };
	}
	return { succeeded: true, result: { output: null } };
}

/** The one expression there is: `<name>` becomes that parameter. */
function render(value: JsonValue, { actionParameters }: RunContext): JsonValue {
	if (typeof value === "string") return value.replace(/<(\w+)>/g, (_whole, name: string) => String(actionParameters[name]));
	return isJsonObject(value)
		? Object.fromEntries(
				Object.entries(value).map(([key, member]) => [key, render(member as JsonValue, { actionParameters } as RunContext)]),
			)
		: value;
}

const now = () => new Date().toISOString().replace("Z", "000Z");

function toTask({ execution_id }: RunContext, index: number, { name, action }: Pick<TaskState, "name" | "action">): TaskState {
	const id = execution_id.slice(0, 22) + (index + 1).toString(16).padStart(2, "0");
	return {
		...{ id, name, route: 0, status: "running", action, attempts: 1, start_timestamp: now(), end_timestamp: null },
		...{ execution_ids: [], items: null, next: [] },
	};
}

function tasksOf(text: string): FakeDefinition["tasks"] | undefined {
	try {
		// The library's own reading takes the whole stack for what is nested deeply, and can end the process with it.
		const { document } = parseYamlDocument(text);
		const value = document.errors.length === 0 ? (document.toJS() as JsonValue) : undefined;
		return isJsonObject(value) && isJsonObject(value["tasks"]) ? (value["tasks"] as unknown as FakeDefinition["tasks"]) : undefined;
	} catch {
		return undefined;
	}
}

async function inspectTask(
	name: string,
	{ action, next = [] }: FakeTask,
	{ findAction }: DefinitionServices,
): Promise<DefinitionFinding[]> {
	const found: ActionSignature | undefined | "unasked" = action === undefined ? "unasked" : ((await findAction?.(action)) ?? undefined);
	const isMissing = findAction !== undefined && found === undefined;
	return [
		...(isMissing && action !== undefined
			? [{ ...finding("content", `the action "${action}" is not registered`, `tasks.${name}.action`), missing_action: action }]
			: []),
		...next.flatMap(({ when }, index) =>
			when === "maybe" ? [finding("warning", "maybe is always true", `tasks.${name}.next[${index}].when`)] : [],
		),
	];
}

function finding(type: DefinitionFinding["type"], message: string, spec_path: string | null): DefinitionFinding {
	return { type, message, spec_path, schema_path: null, line: spec_path === null ? null : 2 };
}

function toGraph(tasks: FakeDefinition["tasks"]): DefinitionGraph {
	const targets = new Set(Object.values(tasks).flatMap(({ next = [] }) => next.map(({ do: to }) => to)));
	const edges = Object.entries(tasks).flatMap(([from, { next = [] }]) =>
		next.map(({ do: to, when = null }, transition) => ({ from, to, transition, when })),
	);
	const node = { join: null, items: null };
	const commands = [...targets].filter((name) => !Object.hasOwn(tasks, name));
	return {
		nodes: [
			...Object.entries(tasks).map(([id, { action = null }]) => ({
				...node,
				...{ id, action, kind: "task" as const, is_start: !targets.has(id) },
			})),
			...commands.map((id) => ({ ...node, ...{ id, action: null, kind: "command" as const, is_start: false } })),
		],
		edges,
	};
}
