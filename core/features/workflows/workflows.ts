import {
	type ActionEntity,
	type ActionSignature,
	type DefinitionGraph,
	type Expressions,
	type JsonObject,
	type Runner,
	type RunProgress,
	SvcError,
	type TaskState,
	type WorkflowDefinitionSupport,
} from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { toActionResource } from "../../kernel/basics/refs.ts";
import { type ActionCatalog, findActionSignature } from "../../kernel/executions/action-catalog.ts";
import type { Executions, ExecutionView } from "../../kernel/executions/executions-api.ts";
import type { Access } from "../access/access-exports.ts";
import type { Actions } from "../actions/actions-exports.ts";
import type { InspectOptions, OfRun, RunGraph, Workflows } from "./workflows-exports.ts";

export interface WorkflowDependencies extends Uses<"runners"> {
	readonly executions: Pick<Executions, "get">;
	readonly actions: Pick<Actions, "get" | "entryPoint">;
	readonly catalog: Pick<ActionCatalog, "resolve">;
	readonly access: Pick<Access, "allows">;
	readonly expressions: Expressions;
	/** Returns all entries of an execution's journal, the oldest first. */
	readonly readJournal: (executionId: string) => Promise<readonly JsonObject[]>;
}

/** Fields of an execution that are needed to determine its progress. */
const fields = ["id", "action_ref", "runner_name", "parameters", "known_secrets", "snapshot_id"] as const;
const defaultRunner = "workflow";

/** Reads workflows from actions and runners, and the progress of their runs from journals. */
export class StoredWorkflows implements Workflows {
	readonly #parts: WorkflowDependencies;

	constructor(parts: WorkflowDependencies) {
		this.#parts = parts;
	}

	async inspect(text: string, { runner = defaultRunner, principal }: InspectOptions = {}) {
		const { runners, expressions } = this.#parts;
		const definitions = findDefinitions(runners, runner, "runner");
		return definitions.inspect(text, { expressions, findAction: (ref) => this.#findAction(ref, principal) });
	}

	async graph(refOrId: string): Promise<DefinitionGraph> {
		const action = await this.#parts.actions.get(refOrId);
		return this.#graphOf(action, this.#definitionsOf(action.ref, action.runner_type));
	}

	async runGraph(executionId: string): Promise<OfRun<RunGraph>> {
		const { view, definitions, progress } = await this.#readRun(executionId);
		const graph =
			progress.definition === null
				? // The run has not begun: it will use the definition that the file contains when it begins.
					await this.#graphOf(await this.#parts.actions.get(view.entity.action_ref), definitions)
				: await definitions.graph(progress.definition);
		return { value: layProgressOver(graph, progress.tasks), secrets: view.secrets };
	}

	async tasks(executionId: string): Promise<OfRun<readonly TaskState[]>> {
		const { view, progress } = await this.#readRun(executionId);
		return { value: progress.tasks, secrets: view.secrets };
	}

	async #readRun(executionId: string): Promise<{ view: ExecutionView; definitions: WorkflowDefinitionSupport; progress: RunProgress }> {
		const { executions, readJournal } = this.#parts;
		const named = await executions.get(executionId, { fields });
		const definitions = this.#definitionsOf(named.entity.action_ref, named.entity.runner_name);
		const progress = await definitions.progress(await readJournal(named.entity.id));
		// Read the execution again after its journal: the secrets of a journal entry are stored in the execution no later than the entry itself.
		// The first read may miss secrets, and the response would then disclose them.
		return { view: await executions.get(named.entity.id, { fields }), definitions, progress };
	}

	#definitionsOf(actionRef: string, runner: string): WorkflowDefinitionSupport {
		return findDefinitions(this.#parts.runners, runner, `action "${actionRef}" is not a workflow`);
	}

	async #graphOf(action: ActionEntity, definitions: WorkflowDefinitionSupport): Promise<DefinitionGraph> {
		const { text } = await this.#parts.actions.entryPoint(action.ref);
		return definitions.graph(text);
	}

	async #findAction(ref: string, principal: Principal | undefined): Promise<ActionSignature | undefined> {
		const { access, catalog } = this.#parts;
		if (principal !== undefined && !access.allows(principal, "action_view", toActionResource(ref))) return undefined;
		return findActionSignature(catalog, ref);
	}
}

/**
 * Returns the workflow support of a runner.
 * Throws `SVC_INVALID` if this node does not have the runner, or if the runner does not support definitions.
 *
 * @param subject beginning of the error message
 */
function findDefinitions(runners: ReadonlyMap<string, Runner>, name: string, subject: string): WorkflowDefinitionSupport {
	const definitions = runners.get(name)?.definitions;
	if (definitions !== undefined) return definitions;
	const readers = [...runners].filter(([, runner]) => runner.definitions !== undefined).map(([reader]) => `"${reader}"`);
	const known = readers.length === 0 ? "no configured runner has them" : `the runners with definitions are ${readers.join(", ")}`;
	throw new SvcError("SVC_INVALID", `${subject}: runner "${name}" has no workflow definitions; ${known}`);
}

/** Adds the progress of a run to a definition. */
function layProgressOver({ nodes, edges }: DefinitionGraph, tasks: readonly TaskState[]): RunGraph {
	const byName = new Map<string, TaskState[]>();
	const taken = new Map<string, number>();
	for (const task of tasks) {
		byName.set(task.name, [...(byName.get(task.name) ?? []), task]);
		for (const { to, transition } of task.next) {
			const key = toKey(task.name, to, transition);
			taken.set(key, (taken.get(key) ?? 0) + 1);
		}
	}
	return {
		nodes: nodes.map((node) => ({ ...node, tasks: node.kind === "task" ? (byName.get(node.id) ?? []) : [] })),
		edges: edges.map((edge) => ({ ...edge, taken: taken.get(toKey(edge.from, edge.to, edge.transition)) ?? 0 })),
	};
}

function toKey(from: string, to: string, transition: number): string {
	return JSON.stringify([from, to, transition]);
}
