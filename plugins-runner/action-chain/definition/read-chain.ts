import { isJsonObject, type JsonObject, type JsonValue, SvcError } from "../../../core/contract/index.ts";
import type { Chain, ChainNode } from "./chain.ts";
import { ChainSource, toSpecPath } from "./chain-source.ts";
import { type ChainProblem, findProblems, isTarget } from "./find-problems.ts";

/**
 * Reads a chain from its definition. Throws `SVC_INVALID` with the first problem that prevents it from running.
 *
 * @param name Name of the chain in messages: the ref of its action.
 */
export function readChain(text: string, name?: string): Chain {
	const source = new ChainSource(text);
	const problem = findProblems(source.value, name).find(({ type }) => type !== "warning");
	if (problem !== undefined) throw new SvcError("SVC_INVALID", toMessage(problem, source));
	const nodes = (source.value["chain"] as readonly JsonObject[]).map(toNode);
	return { text, vars: toObject(source.value["vars"]), nodes, start: toStart(nodes, source.value["default"]) };
}

function toMessage({ type, message, path }: ChainProblem, source: ChainSource): string {
	if (type === "semantic") return message;
	const line = source.lineOf(path);
	const place = [line === null ? [] : `line ${line}`, toSpecPath(path) ?? []].flat().join(", ");
	return place === "" ? message : `${place}: ${message}`;
}

function toNode(node: JsonObject): ChainNode {
	const { name, ref, parameters, params, publish, notify } = node as { readonly [key: string]: JsonValue | undefined };
	return {
		name: String(name),
		ref: String(ref),
		parameters: toObject(parameters ?? params),
		onSuccess: isTarget(node["on-success"]) ? node["on-success"] : null,
		onFailure: isTarget(node["on-failure"]) ? node["on-failure"] : null,
		publish: toObject(publish),
		notify: isJsonObject(notify) ? notify : null,
		parsed: Object.fromEntries(Object.entries(node).map(([key, value]) => [key.replaceAll("-", "_"), value])),
	};
}

function toObject(value: JsonValue | undefined): JsonObject {
	return isJsonObject(value) ? value : {};
}

/**
 * Returns the first node to run: `default`; otherwise the first node that is not a target of another node. If all nodes are targets,
 * returns the first.
 */
function toStart(nodes: readonly ChainNode[], start: JsonValue | undefined): string {
	if (isTarget(start)) return start;
	const targets = new Set(nodes.flatMap(({ onSuccess, onFailure }) => [onSuccess, onFailure]));
	return (nodes.find(({ name }) => !targets.has(name)) ?? nodes[0])?.name ?? "";
}
