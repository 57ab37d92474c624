import type { GraphEdge, GraphNode, TaskState } from "../../contract/index.ts";
import type { KnownSecrets } from "../../secrets/redactor.ts";
import type { RunGraph } from "./workflows-api.ts";

type Hide = (text: string) => string;

/** Tasks as they are shown: expressions become actions, and what is secret may stand in them. */
export function hideInTasks(tasks: readonly TaskState[], secrets: KnownSecrets): readonly TaskState[] {
	const written = toHideWritten(secrets);
	return tasks.map((task) => hideInTask(task, secrets, written));
}

/** The same for a graph. */
export function hideInGraph({ nodes, edges }: RunGraph, secrets: KnownSecrets): RunGraph {
	const written = toHideWritten(secrets);
	return {
		nodes: nodes.map((node) => ({
			...hideInNode(node, written),
			tasks: node.tasks.map((task) => hideInTask(task, secrets, written)),
		})),
		edges: edges.map((edge) => ({ ...hideInEdge(edge, written), taken: edge.taken })),
	};
}

/** What the definition says is what the file says: where it is not known what is secret, that is no reason to hide it. */
function toHideWritten(secrets: KnownSecrets): Hide {
	return secrets.isUnknown ? (text) => text : (text) => secrets.text(text);
}

function hideInTask(task: TaskState, secrets: KnownSecrets, written: Hide): TaskState {
	const { name, action, next } = task;
	return {
		...task,
		name: written(name),
		action: action === null ? null : secrets.text(action),
		next: next.map(({ to, transition }) => ({ to: written(to), transition })),
	};
}

function hideInNode(node: GraphNode, written: Hide): GraphNode {
	const { id, action, items } = node;
	return { ...node, id: written(id), action: action === null ? null : written(action), items: items === null ? null : written(items) };
}

function hideInEdge(edge: GraphEdge, written: Hide): GraphEdge {
	const { from, to, when, publish } = edge;
	return {
		...edge,
		from: written(from),
		to: written(to),
		when: when === null ? null : written(when),
		...(publish !== undefined && { publish: publish.map(written) }),
	};
}
