import type { JsonObject, JsonValue } from "../../../core/contract/index.ts";
import { type Definition, type Edge, engineCommands, type TaskDefinition, type TransitionDefinition } from "../definition/definition.ts";

export interface TestTransition {
	readonly when?: string;
	readonly publish?: readonly (readonly [string, JsonValue])[];
	readonly do?: readonly string[];
}

export interface TestTask {
	/** Default `core.noop`. */
	readonly action?: string | null;
	readonly input?: JsonObject | string;
	readonly items?: string;
	readonly names?: readonly string[];
	readonly concurrency?: number | string;
	readonly continues?: boolean;
	readonly join?: "all" | number;
	readonly delay?: number | string;
	readonly timeout?: number | string;
	readonly retry?: { readonly count: number | string; readonly delay?: number; readonly when?: string };
	readonly next?: readonly TestTransition[];
}

export interface TestWorkflow {
	readonly input?: readonly (readonly [string, JsonValue?])[];
	readonly vars?: readonly (readonly [string, JsonValue])[];
	readonly output?: readonly (readonly [string, JsonValue])[];
	readonly timeout?: number;
	readonly tasks: Readonly<Record<string, TestTask>>;
}

/** A definition as it is after it has been read. */
export function toDefinition(workflow: TestWorkflow): Definition {
	const place = (spec_path: string) => ({ spec_path, line: 1 });
	const assign = (kind: string) => (pairs: readonly (readonly [string, JsonValue])[] | undefined) =>
		(pairs ?? []).map(([name, value], at) => ({ ...place(`${kind}[${at}]`), name, value }));
	const tasks = new Map(Object.entries(workflow.tasks).map(([name, task]) => [name, toTask(name, task)] as const));
	return {
		text: JSON.stringify(workflow),
		input: (workflow.input ?? []).map(([name, value], at) => ({ ...place(`input[${at}]`), name, default: value })),
		vars: assign("vars")(workflow.vars),
		output: assign("output")(workflow.output),
		timeout: workflow.timeout === undefined ? null : { ...place("timeout"), value: workflow.timeout },
		tasks,
		graph: toGraph(tasks),
	};
}

function toTask(name: string, task: TestTask): TaskDefinition {
	const place = (member: string) => ({ spec_path: `tasks.${name}${member}`, line: 1 });
	const timing = (member: string, value: number | string | undefined) => (value === undefined ? null : { ...place(`.${member}`), value });
	const { items, retry } = task;
	return {
		...place(""),
		name,
		action: task.action === undefined ? "core.noop" : task.action,
		input: task.input ?? {},
		items:
			items === undefined
				? null
				: {
						...place(".with"),
						names: task.names ?? [],
						list: items,
						concurrency: timing("with.concurrency", task.concurrency),
						continuesOnFailure: task.continues ?? false,
					},
		join: task.join ?? null,
		delay: timing("delay", task.delay),
		timeout: timing("timeout", task.timeout),
		retry:
			retry === undefined
				? null
				: {
						...place(".retry"),
						when: retry.when ?? null,
						count: { ...place(".retry.count"), value: retry.count },
						delay: timing("retry.delay", retry.delay),
					},
		next: (task.next ?? []).map((transition, index) => toTransition(name, index, transition)),
	};
}

function toTransition(task: string, index: number, { when, publish, do: targets }: TestTransition): TransitionDefinition {
	const spec_path = `tasks.${task}.next[${index}]`;
	return {
		spec_path,
		line: 1,
		index,
		when: when ?? null,
		publish: (publish ?? []).map(([name, value]) => ({ spec_path: `${spec_path}.publish`, line: 1, name, value })),
		targets: targets ?? ["continue"],
	};
}

function toGraph(tasks: ReadonlyMap<string, TaskDefinition>): Definition["graph"] {
	const from = new Map([...tasks].map(([name, task]) => [name, toEdges(name, task)] as const));
	const edges = [...from.values()].flat().filter(({ target }) => !engineCommands.some((command) => command === target));
	const sources = new Map(
		[...tasks.keys()].map((name) => [name, [...new Set(edges.filter((e) => e.target === name).map((e) => e.source))]]),
	);
	const isCyclic = (name: string) => {
		const seen = new Set<string>();
		for (const todo = [name]; todo.length > 0; ) {
			const at = todo.pop();
			for (const edge of edges.filter((one) => one.source === at)) {
				if (edge.target === name) return true;
				if (!seen.has(edge.target)) todo.push(edge.target);
				seen.add(edge.target);
			}
		}
		return false;
	};
	return {
		starts: [...tasks.keys()].filter((name) => sources.get(name)?.length === 0).sort(),
		from,
		sources,
		splits: new Set(
			[...tasks.values()]
				.filter((task) => task.join === null && edges.filter((edge) => edge.target === task.name).length > 1 && !isCyclic(task.name))
				.map((task) => task.name),
		),
	};
}

function toEdges(source: string, task: TaskDefinition): readonly Edge[] {
	const counts = new Map<string, number>();
	return task.next.flatMap((transition) =>
		transition.targets.map((target) => {
			const count = counts.get(target) ?? 0;
			counts.set(target, count + 1);
			return { id: `${target}__t${count}`, source, target, transition };
		}),
	);
}
